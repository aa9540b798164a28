#include "runtime/net/short_turns.hpp"

#include <cstdint>

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace stradsap::rt {
namespace {

/// As the kernel has it; Debian 12's C library does not know it.
struct turns {
  std::uint32_t size = sizeof(turns);
  std::uint32_t policy = 0;
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime = 0;  // nanoseconds of a turn; 0: the kernel's own
  std::uint64_t deadline = 0;
  std::uint64_t period = 0;
};

/// Of this thread; false where they cannot be set.
bool set_turns(std::uint64_t nanoseconds) {
  turns now;
  if (::syscall(SYS_sched_getattr, 0, &now, sizeof now, 0) != 0 || now.policy != SCHED_OTHER) return false;
  now.runtime = nanoseconds;
  now.size = sizeof now;
  return ::syscall(SYS_sched_setattr, 0, &now, 0) == 0;
}

}  // namespace

short_turns::short_turns() : changed_(set_turns(100'000)) {}

short_turns::~short_turns() {
  if (changed_) (void)set_turns(0);
}

}  // namespace stradsap::rt

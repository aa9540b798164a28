#include "runtime/net/scheduler_slice.hpp"

#include <cstdint>

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace stradsap::rt {
namespace {

/// The kernel's struct; the C library of Debian 12 lacks it.
struct turns {
  std::uint32_t size = sizeof(turns);
  std::uint32_t policy = 0;
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime = 0;  // length of a slice in nanoseconds; 0: the kernel's default
  std::uint64_t deadline = 0;
  std::uint64_t period = 0;
};

/// Sets the slice of this thread; false if that is impossible.
bool set_slice(std::uint64_t nanoseconds) {
  turns now;
  if (::syscall(SYS_sched_getattr, 0, &now, sizeof now, 0) != 0 || now.policy != SCHED_OTHER) return false;
  now.runtime = nanoseconds;
  now.size = sizeof now;
  return ::syscall(SYS_sched_setattr, 0, &now, 0) == 0;
}

}  // namespace

scheduler_slice::scheduler_slice() : changed_(set_slice(100'000)) {}

scheduler_slice::~scheduler_slice() {
  if (changed_) (void)set_slice(0);
}

}  // namespace stradsap::rt

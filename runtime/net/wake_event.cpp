#include "runtime/net/wake_event.hpp"

#include <cstdint>

#include <sys/eventfd.h>
#include <unistd.h>

#include "runtime/base/check.hpp"

namespace stradsap::rt {

wake_event::wake_event() : descriptor_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  STRADSAP_ASSERT(descriptor_ >= 0, "eventfd failed");
}

wake_event::~wake_event() { ::close(descriptor_); }

void wake_event::ring() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(descriptor_, &one, sizeof one);
}

void wake_event::hush() const {
  std::uint64_t rung = 0;
  [[maybe_unused]] const auto got = ::read(descriptor_, &rung, sizeof rung);
}

}  // namespace stradsap::rt

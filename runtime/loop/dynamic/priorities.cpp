#include "runtime/loop/dynamic/priorities.hpp"

#include <cmath>
#include <exception>
#include <utility>

#include <fmt/format.h>

#include "runtime/base/ids.hpp"

namespace stradsap::rt {

void priorities::changed(std::int64_t j, double distance2) {
  if (failure_) return;
  try {
    const double priority = f_.of(j, std::sqrt(distance2));
    if (priority >= 0 && std::isfinite(priority)) return sampler_.set(j, priority);
    fail(j, fmt::format("priority({}) is {:g}: it must be finite and not negative", j, priority));
  } catch (const std::exception& e) {
    fail(j, fmt::format("priority({}): {}", j, e.what()));
  } catch (...) {
    fail(j, fmt::format("priority({}): an exception that is no std::exception", j));
  }
}

std::int64_t priorities::draw() {
  const std::int64_t drawn = sampler_.draw();
  sampler_.set(drawn, 0);
  return drawn;
}

void priorities::fail(std::int64_t j, std::string what) {
  failure_ = failure{static_cast<std::uint8_t>(errc::body), std::move(what), driver_rank, j, 0};
}

}  // namespace stradsap::rt

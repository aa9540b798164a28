#include "runtime/loop/dynamic/dependences.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "runtime/base/ids.hpp"

namespace stradsap::rt {

// Answers that are kept, in some 16 MB. When there are more, all are forgotten.
static constexpr std::size_t most_known = std::size_t{1} << 20;
// Pairs for which f is also called the other way round.
static constexpr std::uint64_t tried_both_ways = 256;

std::uint64_t dependences::key(std::int64_t a, std::int64_t b) const {
  const auto [less, greater] = std::minmax(a, b);
  return static_cast<std::uint64_t>(less) * static_cast<std::uint64_t>(n_) +
         static_cast<std::uint64_t>(greater);  // pairs beyond 2^64 may share a key in a loop of 2^32 or more
}

bool dependences::are_known_dependent(std::int64_t a, std::int64_t b) const {
  const auto found = known_.find(key(a, b));
  return found != known_.end() && found->second;
}

bool dependences::are_dependent(std::int64_t a, std::int64_t b) {
  if (f_ == nullptr) return false;
  const auto found = known_.find(key(a, b));
  if (found != known_.end()) return found->second;
  const bool answer = ask(std::min(a, b), std::max(a, b));
  if (known_.size() >= most_known) known_.clear();
  known_[key(a, b)] = answer;
  return answer;
}

bool dependences::ask(std::int64_t a, std::int64_t b) {
  if (failure_) return true;
  const double one = measured(a, b);
  if (asked_++ < tried_both_ways && !failure_) {
    const double other = measured(b, a);
    const double scale = std::max({std::abs(one), std::abs(other), rho_});
    if (std::isfinite(scale) && std::abs(one - other) > 1e-3 * scale)
      fail(a, fmt::format("depends({}, {}) = {:g}, and depends({}, {}) = {:g}: it must be symmetric", a, b,
                          one, b, a, other));
  }
  return failure_.has_value() || std::abs(one) > rho_;
}

double dependences::measured(std::int64_t a, std::int64_t b) {
  ++calls_;
  try {
    const double value = f_->of(a, b);
    if (std::isnan(value)) fail(a, fmt::format("depends({}, {}) is not a number", a, b));
    return value;
  } catch (const std::exception& e) {
    fail(a, fmt::format("depends({}, {}): {}", a, b, e.what()));
  } catch (...) {
    fail(a, fmt::format("depends({}, {}): an exception that is no std::exception", a, b));
  }
  return 0;
}

void dependences::fail(std::int64_t a, std::string what) {
  if (!failure_)
    failure_ = failure{static_cast<std::uint8_t>(errc::body), std::move(what), driver_rank, a, 0};
}

}  // namespace stradsap::rt

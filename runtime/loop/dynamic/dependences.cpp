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
// All answers of so many iterations are kept in a table of at most 16 MB. A choice looks at thousands of
// pairs.
static constexpr std::int64_t most_in_table = 4096;
// Pairs for which f is also called the other way round.
static constexpr std::uint64_t tried_both_ways = 256;

dependences::dependences(const abi::dependence* f, double rho, std::int64_t n)
    : f_(f),
      rho_(rho),
      n_(n),
      is_small_(n <= most_in_table),
      table_(is_small_ && f != nullptr ? static_cast<std::size_t>(n * n) : 0) {}

std::uint64_t dependences::key(std::int64_t a, std::int64_t b) const {
  const auto [less, greater] = std::minmax(a, b);
  return static_cast<std::uint64_t>(less) * static_cast<std::uint64_t>(n_) +
         static_cast<std::uint64_t>(greater);  // pairs beyond 2^64 may share a key in a loop of 2^32 or more
}

dependences::answer dependences::known(std::int64_t a, std::int64_t b) const {
  if (is_small_) return table_[static_cast<std::size_t>(a * n_ + b)];
  const auto found = known_.find(key(a, b));
  return found == known_.end() ? answer::unknown : found->second;
}

void dependences::keep(std::int64_t a, std::int64_t b, answer of) {
  if (is_small_) {
    table_[static_cast<std::size_t>(a * n_ + b)] = table_[static_cast<std::size_t>(b * n_ + a)] = of;
    return;
  }
  if (known_.size() >= most_known) known_.clear();
  known_[key(a, b)] = of;
}

bool dependences::are_known_dependent(std::int64_t a, std::int64_t b) const {
  return f_ != nullptr && known(a, b) == answer::dependent;
}

bool dependences::are_dependent(std::int64_t a, std::int64_t b) {
  if (f_ == nullptr) return false;
  const answer before = known(a, b);
  if (before != answer::unknown) return before == answer::dependent;
  const bool depend = ask(std::min(a, b), std::max(a, b));
  keep(a, b, depend ? answer::dependent : answer::apart);
  return depend;
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

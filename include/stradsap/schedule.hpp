// Schedulers as values: they decide which iterations a loop runs, and in which order. Thread rule: constexpr
// values.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include <stradsap/error.hpp>

namespace stradsap {
namespace schedule {

/// The scheduler that runs every iteration once. Loops have it unless they name another.
/// @code
/// parallel_for(n, [&X](int64_t j) { X[j] += 1; }, consistency::async, schedule::static_());
/// @endcode
class static_schedule {};
// NOLINTNEXTLINE(readability-identifier-naming): `static` is a keyword
constexpr static_schedule static_() { return {}; }

/// The scheduler for parameters that converge unevenly, as in coordinate descent: see dynamic().
class dynamic_schedule {
 public:
  /// Ends the loop after n times as many updates as it has iterations. Throws error(errc::out_of_range)
  /// unless n is positive.
  /// @code
  /// parallel_for(n, [&X](int64_t j) { X[j] *= 0.5f; }, consistency::async, schedule::dynamic().passes(10));
  /// @endcode
  [[nodiscard]] constexpr dynamic_schedule passes(std::int64_t n_) const {
    dynamic_schedule made = *this;
    made.most_passes_ = positive(n_, "passes");
    return made;
  }
  /// Ends the loop after n updates, each of which is one call of the body. Throws error(errc::out_of_range)
  /// unless n is positive.
  /// @code
  /// parallel_for(n, [&X](int64_t j) { X[j] *= 0.5f; }, consistency::async,
  /// schedule::dynamic().updates(999));
  /// @endcode
  [[nodiscard]] constexpr dynamic_schedule updates(std::int64_t n_) const {
    dynamic_schedule made = *this;
    made.most_updates_ = positive(n_, "updates");
    return made;
  }
  /// Ends the loop when a pass over all iterations changes no element by more than `tolerance` times the
  /// greatest element, by Euclidean norms. Coordinate descent has then reached its optimality conditions, up
  /// to that tolerance. 0 asks for a pass without any change. Without a call of until(), the tolerance is
  /// 1e-4, or none if passes() or updates() limits the loop. Throws error(errc::out_of_range) unless
  /// `tolerance` is in [0, 1).
  /// @code
  /// parallel_for(n, [&X](int64_t j) { X[j] *= 0.5f; }, consistency::async, schedule::dynamic().until(1e-6));
  /// @endcode
  [[nodiscard]] constexpr dynamic_schedule until(double tolerance) const {
    if (!(tolerance >= 0 && tolerance < 1))
      throw error(errc::out_of_range, "schedule::dynamic().until() takes a tolerance from 0 to below 1");
    dynamic_schedule made = *this;
    made.tolerance_ = tolerance;
    return made;
  }

  /// Of passes() and updates(); 0: no limit.
  /// @code
  /// const auto how = schedule::dynamic().passes(20).updates(5000);
  /// std::printf("%ld passes, %ld updates\n", long(how.most_passes()), long(how.most_updates()));
  /// std::printf("%ld updates of %ld iterations, to %g\n", long(how.num_updates(n)), n, how.tolerance());
  /// @endcode
  [[nodiscard]] constexpr std::int64_t most_passes() const noexcept { return most_passes_; }
  [[nodiscard]] constexpr std::int64_t most_updates() const noexcept { return most_updates_; }
  /// The tolerance; negative: the loop does not end by it.
  [[nodiscard]] constexpr double tolerance() const noexcept {
    const bool is_limited = most_passes_ != 0 || most_updates_ != 0;
    return tolerance_ < 0 && !is_limited ? 1e-4 : tolerance_;
  }
  /// The most updates of a loop of n iterations. Throws error(errc::unsupported) if there is no limit.
  [[nodiscard]] constexpr std::int64_t num_updates(std::int64_t n_) const {
    if (most_passes_ == 0 && most_updates_ == 0) {
      throw error(errc::unsupported,
                  "schedule::dynamic() needs a limit in a program that stradsap-cc did not compile: "
                  "passes(n) or updates(n)");
    }
    if (n_ <= 0) return 0;
    constexpr std::int64_t most = std::int64_t{1} << 62;
    const std::int64_t by_passes = most_passes_ == 0 || most_passes_ > most / n_ ? most : most_passes_ * n_;
    return most_updates_ != 0 && most_updates_ < by_passes ? most_updates_ : by_passes;
  }

 private:
  static constexpr std::int64_t positive(std::int64_t n_, const char* name) {
    if (n_ > 0) return n_;
    throw error(errc::out_of_range, std::string("schedule::dynamic().") + name +
                                        "() takes a positive number, and got " + std::to_string(n_));
  }

  std::int64_t most_passes_ = 0;
  std::int64_t most_updates_ = 0;
  double tolerance_ = -1;
};

/// Runs iterations again and again, and those more often that still change their elements. So the loop over
/// passes around a coordinate descent disappears: one launch is the whole solve. The body changes an element
/// at its index, and may write other containers too. The scheduler compares the element before and after each
/// update. A pass over all iterations comes first and last; between, passes take only the iterations that
/// changed their elements, until they hardly do (an active set: Friedman, Hastie, Tibshirani: Regularization
/// paths for generalized linear models via coordinate descent, 2010, section 2.6).
/// The model is consistency::approximate, or consistency::async. Updates run one after the other on the
/// driver's rank, so the bits are the same on any number of ranks and threads. stradsap::random(j) draws the
/// same numbers in all updates of iteration j.
/// The loop ends as the schedule says, and after 1000 passes in any case, with a warning. Throws
/// error(errc::unsupported) if the body writes no element at its index, and loop_error if an element becomes
/// infinite or not a number.
/// A program without stradsap-cc runs passes over all iterations; it must limit them.
/// @code
/// parallel_for(n, [&X](int64_t j) { X[j] *= 0.5f; }, consistency::approximate, schedule::dynamic());
/// @endcode
constexpr dynamic_schedule dynamic() { return {}; }

}  // namespace schedule

/// A scheduler of a loop.
template <class T_>
concept loop_schedule =
    std::is_same_v<T_, schedule::static_schedule> || std::is_same_v<T_, schedule::dynamic_schedule>;

namespace abi {

/// The scheduler of loops under consistency::approximate that name none.
inline constexpr schedule::dynamic_schedule automatic_schedule{};

/// The dynamic schedule among the options of a loop; null if there is none.
constexpr const schedule::dynamic_schedule* dynamic_among() { return nullptr; }
template <class First_, class... Option_>
constexpr const schedule::dynamic_schedule* dynamic_among(const First_& first, const Option_&... others) {
  if constexpr (std::is_same_v<First_, schedule::dynamic_schedule>) {
    return &first;
  } else {
    return dynamic_among(others...);
  }
}

}  // namespace abi
}  // namespace stradsap

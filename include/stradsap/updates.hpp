// The updates of schedule::dynamic() for programs that run them themselves. Thread rule: the driver's thread,
// outside loop bodies.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <stradsap/abi/update_source.hpp>
#include <stradsap/error.hpp>
#include <stradsap/schedule.hpp>

namespace stradsap::schedule {

/// The updates of a dynamic schedule, set by set: see dynamic_schedule::over(). The order is that of a loop
/// with this schedule: passes over all iterations, and between them sweeps over those that changed, or draws
/// by priority. It follows from the changes and the seed alone. An object may be moved, not copied; all calls
/// on one that was moved from throw error(errc::unsupported).
class dynamic_updates {
 public:
  /// The iterations to update next: all different, at most `most`, and no two dependent by depends(). They
  /// are fewer at the end of a pass, or where dependent ones have to wait. Empty at the end of the schedule.
  /// Throws error(errc::out_of_range) unless `most` is positive, error(errc::unsupported) if changes of the
  /// last set are missing, and error(errc::body) if depends() or priority() throws or gives a bad answer.
  /// @code
  /// auto solve = schedule::dynamic().passes(10).over(n);
  /// for (auto set = solve.next(64); !set.empty(); set = solve.next(64)) {
  ///   parallel_for(set.size(), [&X, set](size_t k) { X[set[k]] *= 0.5f; }, consistency::async);
  ///   for (const int64_t j : set) solve.changed(j, X[j], X[j]);
  /// }
  /// @endcode
  [[nodiscard]] std::vector<std::int64_t> next(std::int64_t most) { return from().next(most); }

  /// Tells that the update of iteration j, of the last set, has moved its element by `change`, and that the
  /// element now is `element`. For elements of several numbers: the Euclidean norms of both. Signs do not
  /// matter. Once for each iteration of a set, in an order that the program chooses; the next sets depend on
  /// it. Throws error(errc::out_of_range) if j is not in the set or is told already, or if a number is
  /// infinite or NaN; error(errc::body) if priority() throws or gives a bad answer.
  /// @code
  /// auto solve = schedule::dynamic().until(1e-6).over(n);
  /// for (const int64_t j : solve.next(1)) {
  ///   const float old = X[j];
  ///   X[j] = 0.5f * X[j];
  ///   solve.changed(j, X[j] - old, X[j]);
  /// }
  /// @endcode
  void changed(std::int64_t j_, double change, double element) { from().changed(j_, change, element); }

  /// Changes that were told; passes that have ended; whether the tolerance of until() has ended the schedule.
  /// @code
  /// auto solve = schedule::dynamic().until(1e-6).over(n);
  /// std::printf("%ld updates, %ld passes\n", long(solve.updates()), long(solve.passes()));
  /// if (!solve.has_converged()) std::puts("more to do");
  /// @endcode
  [[nodiscard]] std::int64_t updates() const { return from().updates(); }
  [[nodiscard]] std::int64_t passes() const { return from().passes(); }
  [[nodiscard]] bool has_converged() const { return from().has_converged(); }

 private:
  friend class dynamic_schedule;
  dynamic_updates() = default;
  [[nodiscard]] abi::update_source& from() const {
    if (from_ != nullptr) return *from_;
    throw error(errc::unsupported,
                "these updates of schedule::dynamic().over() were moved to another object");
  }

  std::unique_ptr<abi::update_source> from_;
};

inline dynamic_updates dynamic_schedule::over(std::int64_t n_) const {
  dynamic_updates made;
  made.from_ = abi::make_update_source(*this, n_);
  return made;
}

}  // namespace stradsap::schedule

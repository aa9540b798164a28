// Schedulers as values: they decide which iterations a loop runs, and in which order. Thread rule: values.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <stradsap/access.hpp>
#include <stradsap/error.hpp>

namespace stradsap {
namespace abi {

class handle_target;
struct internals;

/// A program's measure of the dependence of two iterations, without its type.
class dependence {
 public:
  virtual ~dependence() = default;
  [[nodiscard]] virtual double of(std::int64_t a_, std::int64_t b_) const = 0;
};

template <class Function_> class dependence_by final : public dependence {
 public:
  explicit dependence_by(Function_ measure) : f_(std::move(measure)) {}
  [[nodiscard]] double of(std::int64_t a_, std::int64_t b_) const override {
    return static_cast<double>(f_(a_, b_));
  }

 private:
  Function_ f_;
};

/// A function or lambda that measures a dependence: number(index, index).
template <class Function_>
concept measures_dependence = std::copy_constructible<Function_> && requires(const Function_ f_, int64_t j_) {
  { f_(j_, j_) } -> std::convertible_to<double>;
};

/// The same for one that each call could change, which no loop takes.
template <class Function_>
concept measures_changeably = !measures_dependence<Function_> && requires(Function_ f_, int64_t j_) {
  { f_(j_, j_) } -> std::convertible_to<double>;
};

/// A program's priority of an iteration, without its type.
class iteration_priority {
 public:
  virtual ~iteration_priority() = default;
  [[nodiscard]] virtual double of(std::int64_t j_, double change) const = 0;
};

template <class Function_> class priority_by final : public iteration_priority {
 public:
  explicit priority_by(Function_ priority) : f_(std::move(priority)) {}
  [[nodiscard]] double of(std::int64_t j_, double change) const override {
    if constexpr (std::invocable<const Function_&, std::int64_t, double>) {
      return static_cast<double>(f_(j_, change));
    } else {
      return static_cast<double>(f_(j_));
    }
  }

 private:
  Function_ f_;
};

/// A function or lambda that gives a priority: number(index), or number(index, last change).
template <class Function_>
concept gives_priority =
    std::copy_constructible<Function_> && (requires(const Function_ f_, std::int64_t j_, double change) {
      { f_(j_, change) } -> std::convertible_to<double>;
    } || requires(const Function_ f_, std::int64_t j_) {
      { f_(j_) } -> std::convertible_to<double>;
    });

/// The same for one that each call could change, which no loop takes.
template <class Function_>
concept gives_changeably =
    !gives_priority<Function_> && (requires(Function_ f_, std::int64_t j_, double change) {
      { f_(j_, change) } -> std::convertible_to<double>;
    } || requires(Function_ f_, std::int64_t j_) {
      { f_(j_) } -> std::convertible_to<double>;
    });

/// False for every function, in the overloads for functions that each call could change.
template <class Function_> inline constexpr bool only_reads = false;

}  // namespace abi

namespace schedule {

/// The scheduler that runs every iteration once. Loops have it unless they name another.
/// @code
/// parallel_for(n, [&X](int64_t j) { X[j] += 1; }, consistency::async, schedule::static_());
/// @endcode
class static_schedule {};
// NOLINTNEXTLINE(readability-identifier-naming): `static` is a keyword
constexpr static_schedule static_() { return {}; }

class dynamic_updates;

/// The scheduler for parameters that converge unevenly, as in coordinate descent: see dynamic().
class dynamic_schedule {
 public:
  /// Ends the loop after n times as many updates as it has iterations. Throws error(errc::out_of_range)
  /// unless n is positive.
  /// @code
  /// parallel_for(n, [&X](int64_t j) { X[j] *= 0.5f; }, consistency::async, schedule::dynamic().passes(10));
  /// @endcode
  [[nodiscard]] dynamic_schedule passes(std::int64_t n_) const {
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
  [[nodiscard]] dynamic_schedule updates(std::int64_t n_) const {
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
  [[nodiscard]] dynamic_schedule until(double tolerance) const {
    if (!(tolerance >= 0 && tolerance < 1))
      throw error(errc::out_of_range, "schedule::dynamic().until() takes a tolerance from 0 to below 1");
    dynamic_schedule made = *this;
    made.tolerance_ = tolerance;
    return made;
  }

  /// Lets updates run side by side, in sets. f(a, b) measures how much iterations a and b bear on each other,
  /// such as the correlation of two columns; f(a, b) = f(b, a). Two updates that both change their elements
  /// run side by side only if |f(a, b)| is at most `threshold`; without one, at most the rho of
  /// consistency::approximate. Without set_size(), the scheduler counts the elements that some updates touch,
  /// and runs short ones one after the other.
  /// The driver's thread calls f between sets, and keeps answers for some time. f should cost much less than
  /// an update. It may capture anything, only reads, and must not depend on what the loop writes.
  /// stradsap-cc refuses changes in it, and a std::function. If f throws, gives NaN, or is not symmetric, the
  /// loop throws loop_error. Throws error(errc::out_of_range) if `threshold` is negative or not a number.
  /// @code
  /// const auto near = [](int64_t a, int64_t b) { return std::abs(a - b) < 2 ? 1.0 : 0.0; };
  /// parallel_for(n, [&X](int64_t j) { X[j] *= 0.5f; }, consistency::approximate({.rho = 0.1}),
  ///              schedule::dynamic().depends(near));
  /// @endcode
  template <abi::measures_dependence Function_> [[nodiscard]] dynamic_schedule depends(Function_ f_) const {
    dynamic_schedule made = *this;
    made.depends_ = std::make_shared<const abi::dependence_by<Function_>>(std::move(f_));
    return made;
  }
  template <abi::measures_dependence Function_>
  [[nodiscard]] dynamic_schedule depends(Function_ f_, double threshold) const {
    if (!(threshold >= 0))
      throw error(errc::out_of_range, "schedule::dynamic().depends() takes a threshold from 0 on");
    dynamic_schedule made = depends(std::move(f_));
    made.threshold_ = threshold;
    return made;
  }
  /// A call with a function that each call could change does not compile.
  template <abi::measures_changeably Function_>
  [[nodiscard]] dynamic_schedule depends(Function_, double = 0) const {
    static_assert(abi::only_reads<Function_>,
                  "depends() takes a function that only reads: not `mutable`, and "
                  "with a const operator()");
    return *this;
  }
  /// Lets updates run side by side, in sets, if they touch different elements: two iterations that access a
  /// common element, of a container that the body writes at other places than its index, run one after the
  /// other. So the result is that of one sequence of all updates, and the loop also takes consistency::async
  /// as its model. Elements that bodies only add into do not count: their additions are folded at the end of
  /// a set. An inspector finds the elements of all iterations before the first update. If it cannot, since
  /// the body finds places by data that it writes, updates run one after the other, and `--summary` says so.
  /// With depends(), the loop throws error(errc::unsupported).
  /// @code
  /// dvector<float> sums(2 * n);
  /// parallel_for(n, [&X, &sums](int64_t j) { X[j] *= 0.5f; sums[j * 7 % 11] = X[j] + sums[j]; },
  ///              consistency::async, schedule::dynamic().depends_on_accesses());
  /// @endcode
  [[nodiscard]] dynamic_schedule depends_on_accesses() const {
    dynamic_schedule made = *this;
    made.by_accesses_ = true;
    return made;
  }
  /// Runs updates in sets of at most n. A set is cut into shards, 8 unless n is small. The updates of a shard
  /// run one after the other, and miss the changes that other shards of the set make; these are added up at
  /// the end of the set. With as many shards as updates, no update of a set sees another one. Without
  /// depends(), a set may diverge; with set_size(1) updates run one after the other. Throws
  /// error(errc::out_of_range) unless 0 < shards <= n.
  /// @code
  /// parallel_for(n, [&X](int64_t j) { X[j] *= 0.5f; }, consistency::approximate,
  ///              schedule::dynamic().set_size(64));
  /// @endcode
  [[nodiscard]] dynamic_schedule set_size(std::int64_t n_) const {
    dynamic_schedule made = *this;
    made.set_size_ = positive(n_, "set_size");
    made.shards_ = 0;
    return made;
  }
  [[nodiscard]] dynamic_schedule set_size(std::int64_t n_, std::int64_t shards) const {
    dynamic_schedule made = set_size(n_);
    made.shards_ = positive(shards, "set_size");
    if (shards <= n_) return made;
    throw error(errc::out_of_range, "schedule::dynamic().set_size(" + std::to_string(n_) + ", " +
                                        std::to_string(shards) + "): a set has no more shards than updates");
  }

  /// Lets d sets be in flight while the next one begins: set k sees the changes of all sets before k - d, and
  /// of no others. So the results depend on d and the seed, and neither on ranks, threads nor time. Ranks
  /// need not wait for the changes of a set before they begin the next one, which helps if messages between
  /// them take as long as a set. An iteration in flight is not taken again, and one that depends on
  /// iterations in flight waits. At the end of a pass or sweep all sets end. 0, the default: a set sees the
  /// changes of all earlier ones. It takes precedence over the depth of consistency::approximate. Throws
  /// error(errc::out_of_range) if d is negative.
  /// @code
  /// parallel_for(n, [&X](int64_t j) { X[j] *= 0.5f; }, consistency::approximate,
  ///              schedule::dynamic().set_size(64).pipeline_depth(2));
  /// @endcode
  [[nodiscard]] dynamic_schedule pipeline_depth(std::int64_t d_) const {
    if (d_ < 0)
      throw error(errc::out_of_range, "schedule::dynamic().pipeline_depth() takes a depth from 0 on");
    dynamic_schedule made = *this;
    made.pipeline_depth_ = d_;
    return made;
  }
  /// Looks at n candidates for each set, at most: one that depends on others of the set or in flight is left
  /// for a later set, and the next candidate may take its place, until the set is full. Without a call it is
  /// four times the size of a set. Throws error(errc::out_of_range) unless n is positive.
  /// @code
  /// parallel_for(n, [&X](int64_t j) { X[j] *= 0.5f; }, consistency::approximate,
  ///              schedule::dynamic().set_size(64).candidates(512));
  /// @endcode
  [[nodiscard]] dynamic_schedule candidates(std::int64_t n_) const {
    dynamic_schedule made = *this;
    made.candidates_ = positive(n_, "candidates");
    return made;
  }

  /// Between passes, draws iterations in proportion to f(j), instead of sweeps over those that still change.
  /// f may take the last change too: f(j, change), the distance by which the last update of iteration j has
  /// moved its element. The driver's thread calls f(j) after each update of iteration j, when the elements
  /// have their new values, and keeps the answer until the next update of j. Iterations of priority 0 run in
  /// passes only. f should cost much less than an update. It may capture anything, and only reads:
  /// stradsap-cc refuses changes in it, and a std::function. If f throws, or gives a number that is negative,
  /// infinite or NaN, the loop throws loop_error. The draws of a set are all different.
  /// @code
  /// const auto squared = [](int64_t, double change) { return change * change; };
  /// parallel_for(n, [&X](int64_t j) { X[j] *= 0.5f; }, consistency::approximate,
  ///              schedule::dynamic().priority(squared));
  /// @endcode
  template <abi::gives_priority Function_> [[nodiscard]] dynamic_schedule priority(Function_ f_) const {
    dynamic_schedule made = *this;
    made.priority_ = std::make_shared<const abi::priority_by<Function_>>(std::move(f_));
    return made;
  }
  /// A call with a function that each call could change does not compile.
  template <abi::gives_changeably Function_> [[nodiscard]] dynamic_schedule priority(Function_) const {
    static_assert(abi::only_reads<Function_>,
                  "priority() takes a function that only reads: not `mutable`, and "
                  "with a const operator()");
    return *this;
  }

  /// The updates of n iterations, set by set, for a program that runs them itself: `next` schedules a set,
  /// the program runs its updates by loops of its own, and `changed` tells how far they moved the elements.
  /// This is for updates that need more than one loop, such as sums of columns over data by rows. By
  /// depends(), no update of a set depends on another one; without a threshold there, that of
  /// consistency::approximate holds. The updates end like a loop with this schedule. A negative n is none.
  /// Throws error(errc::unsupported) if set_size(), pipeline_depth(), begin_with(), follow() or
  /// depends_on_accesses() was called.
  /// @code
  /// auto solve = schedule::dynamic().until(1e-6).over(n);
  /// const std::vector<int64_t> set = solve.next(64);
  /// @endcode
  [[nodiscard]] dynamic_updates over(std::int64_t n_) const;

  /// Begins with sweeps over these iterations; then a pass over all follows, as always. These and later
  /// sweeps go on until one changes no element by more than a fifth of what until() allows. For a program
  /// that knows which iterations are likely to change their elements, such as by the strong rules along a
  /// path of penalties: a good list saves all passes but the last one. Without a call of begin_with(), the
  /// loop begins with the iterations of which the elements are not zero, if these are at most half of all.
  /// Numbers may occur twice. If one is no iteration of the loop, the loop throws error(errc::out_of_range).
  /// With priority(), it throws error(errc::unsupported).
  /// @code
  /// parallel_for(n, [&X](int64_t j) { X[j] *= 0.5f; }, consistency::approximate,
  ///              schedule::dynamic().begin_with({0, 1}));
  /// @endcode
  [[nodiscard]] dynamic_schedule begin_with(std::vector<std::int64_t> iterations) const {
    dynamic_schedule made = *this;
    made.first_ = std::make_shared<const std::vector<std::int64_t>>(std::move(iterations));
    return made;
  }
  /// Of the containers that the body writes at its index, only these count for the change of an iteration.
  /// The body may then keep by-products of an update in others. The loop throws error(errc::unsupported)
  /// if the body does not write one of these at its index.
  /// @code
  /// dvector<float> halves(n);
  /// parallel_for(n, [&X, &halves](int64_t j) { X[j] *= 0.5f; halves[j] = X[j] / 2; },
  ///              consistency::approximate, schedule::dynamic().follow(X));
  /// @endcode
  template <distributed_container... Container_>
  [[nodiscard]] dynamic_schedule follow(const Container_&... containers) const {
    dynamic_schedule made = *this;
    made.followed_ = {state_of(containers)...};
    return made;
  }

  /// The iterations of begin_with(); null if there are none. The containers of follow().
  /// @code
  /// const auto how = schedule::dynamic().begin_with({0, 1});
  /// if (how.first_iterations() != nullptr) std::printf("%zu to begin with\n",
  /// how.first_iterations()->size()); if (how.followed().empty()) std::puts("all changes count");
  /// @endcode
  [[nodiscard]] const std::vector<std::int64_t>* first_iterations() const noexcept { return first_.get(); }
  [[nodiscard]] const std::vector<const abi::handle_target*>& followed() const noexcept { return followed_; }
  /// The priority of iterations, and the measure of their dependences; null if there is none. Its threshold;
  /// negative: that of the model. Whether accesses decide dependences. The updates, shards and candidates of
  /// a set; 0: automatic. The depth of the pipeline; negative: that of the model.
  /// @code
  /// const auto how = schedule::dynamic().set_size(64, 8);
  /// std::printf("%ld updates in %ld shards\n", long(how.set_size()), long(how.shards()));
  /// if (how.stated_priority() == nullptr) std::puts("sweeps over the active set");
  /// if (how.dependence() != nullptr) std::printf("apart below %g\n", how.threshold());
  /// if (how.by_accesses()) std::puts("apart if they touch different elements");
  /// @endcode
  [[nodiscard]] const abi::iteration_priority* stated_priority() const noexcept { return priority_.get(); }
  [[nodiscard]] const abi::dependence* dependence() const noexcept { return depends_.get(); }
  [[nodiscard]] double threshold() const noexcept { return threshold_; }
  [[nodiscard]] bool by_accesses() const noexcept { return by_accesses_; }
  [[nodiscard]] std::int64_t set_size() const noexcept { return set_size_; }
  [[nodiscard]] std::int64_t shards() const noexcept { return shards_; }
  [[nodiscard]] std::int64_t candidates() const noexcept { return candidates_; }
  [[nodiscard]] std::int64_t pipeline_depth() const noexcept { return pipeline_depth_; }

  /// Of passes() and updates(); 0: no limit.
  /// @code
  /// const auto how = schedule::dynamic().passes(20).updates(5000);
  /// std::printf("%ld passes, %ld updates\n", long(how.most_passes()), long(how.most_updates()));
  /// std::printf("%ld updates of %ld iterations, to %g\n", long(how.num_updates(n)), n, how.tolerance());
  /// @endcode
  [[nodiscard]] std::int64_t most_passes() const noexcept { return most_passes_; }
  [[nodiscard]] std::int64_t most_updates() const noexcept { return most_updates_; }
  /// The tolerance; negative: the loop does not end by it.
  [[nodiscard]] double tolerance() const noexcept {
    const bool is_limited = most_passes_ != 0 || most_updates_ != 0;
    return tolerance_ < 0 && !is_limited ? 1e-4 : tolerance_;
  }
  /// The most updates of a loop of n iterations. Throws error(errc::unsupported) if there is no limit.
  [[nodiscard]] std::int64_t num_updates(std::int64_t n_) const {
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
  template <class Container_, class Internals_ = abi::internals>
  static const abi::handle_target* state_of(const Container_& one) {
    return Internals_::identity(one);
  }
  static std::int64_t positive(std::int64_t n_, const char* name) {
    if (n_ > 0) return n_;
    throw error(errc::out_of_range, std::string("schedule::dynamic().") + name +
                                        "() takes a positive number, and got " + std::to_string(n_));
  }

  std::int64_t most_passes_ = 0;
  std::int64_t most_updates_ = 0;
  double tolerance_ = -1;
  std::shared_ptr<const abi::iteration_priority> priority_;  // between copies of this schedule
  std::shared_ptr<const abi::dependence> depends_;           // the same
  std::shared_ptr<const std::vector<std::int64_t>> first_;   // the same
  std::vector<const abi::handle_target*> followed_;
  double threshold_ = -1;
  bool by_accesses_ = false;
  std::int64_t set_size_ = 0;
  std::int64_t shards_ = 0;
  std::int64_t candidates_ = 0;
  std::int64_t pipeline_depth_ = -1;
};

/// Runs iterations again and again, and those more often that still change their elements. So the loop over
/// passes around a coordinate descent disappears: one launch is the whole solve. The body changes an element
/// at its index, and may write other containers too. The scheduler compares the element before and after each
/// update. A pass over all iterations comes first and last; between, passes take only the iterations that
/// changed their elements, until they hardly do (an active set: Friedman, Hastie, Tibshirani: Regularization
/// paths for generalized linear models via coordinate descent, 2010, section 2.6). With priority(), draws
/// take the place of these. The model is consistency::approximate, or consistency::async. Updates run one
/// after the other on the driver's thread, or in sets on all threads of all ranks, if the schedule has
/// depends(), depends_on_accesses() or set_size(). Sets need the model approximate, but for those of
/// depends_on_accesses(). They follow from counts and the seed, so the
/// bits are the same on any number of ranks and threads. stradsap::random(j) draws the same numbers in all
/// updates of iteration j. The loop ends as the schedule says, and after 1000 passes in any case, with a
/// warning. Throws error(errc::unsupported) if the body writes no element at its index, and loop_error if an
/// element becomes infinite or not a number. A program without stradsap-cc runs passes over all iterations;
/// it must limit them.
/// @code
/// parallel_for(n, [&X](int64_t j) { X[j] *= 0.5f; }, consistency::approximate, schedule::dynamic());
/// @endcode
inline dynamic_schedule dynamic() { return {}; }

}  // namespace schedule

/// A scheduler of a loop.
template <class T_>
concept loop_schedule =
    std::is_same_v<T_, schedule::static_schedule> || std::is_same_v<T_, schedule::dynamic_schedule>;

namespace abi {

/// The scheduler of loops under consistency::approximate that name none.
inline const schedule::dynamic_schedule automatic_schedule{};

/// The dynamic schedule among the options of a loop; null if there is none.
inline const schedule::dynamic_schedule* dynamic_among() { return nullptr; }
template <class First_, class... Option_>
const schedule::dynamic_schedule* dynamic_among(const First_& first, const Option_&... others) {
  if constexpr (std::is_same_v<First_, schedule::dynamic_schedule>) {
    return &first;
  } else {
    return dynamic_among(others...);
  }
}

}  // namespace abi
}  // namespace stradsap

// Consistency models as values: how much the iterations of a loop see of each other's writes. Thread rule:
// constexpr values.
#pragma once

#include <cstdint>
#include <optional>
#include <source_location>
#include <string>

#include <stradsap/abi/merge_function.hpp>
#include <stradsap/error.hpp>

namespace stradsap {
namespace abi {
struct models;
}

/// How a `sync` loop folds the values that the shards of a batch leave in one number. `sum` adds up the
/// changes of the shards. The others look only at the shards that changed the number: `mean` takes the
/// average of their values, `min` and `max` the least and the greatest one, `last` that of the last shard.
/// `adaptive` adds up the changes of an element's fractions, and scales the sum: see docs/consistency.md.
/// `by_uses(u)` does so by a known u.
/// A function of one's own folds all values of one type: value(value folded, value start, value end). It is
/// called for each shard that changed the value, in shard order. `folded` has the changes of earlier shards,
/// `start` is the value at the batch's start, and `end` that at the shard's end. It is a function or a lambda
/// without captures; any thread of any rank may call it.
/// @code
/// parallel_for(n, [&X](int64_t j) { X[j % 8] *= 0.5f; }, consistency::sync({.merge = merge::mean}));
/// const auto farthest = [](float folded, float start, float end) {
///   return std::abs(end - start) > std::abs(folded - start) ? end : folded;
/// };
/// parallel_for(n, [&X](int64_t j) { X[j % 8] *= 0.5f; }, consistency::sync({.merge = farthest}));
/// @endcode
namespace merge {
class rule {
 public:
  /// `bit_and`, `bit_or` and `bit_xor` fold integers that a body changes by these operators alone.
  enum class kind : std::uint8_t { sum, mean, min, max, adaptive, last, bit_and, bit_or, bit_xor, function };

  constexpr rule(kind which) noexcept : which_(which) {}
  template <abi::merges_values Function_>
  rule(Function_ f_) noexcept : which_(kind::function), function_(abi::as_merge_function(+f_)) {}
  explicit constexpr rule(const abi::merge_function& f_) noexcept : which_(kind::function), function_(f_) {}

  [[nodiscard]] constexpr kind which() const noexcept { return which_; }
  [[nodiscard]] constexpr bool folds_bits() const noexcept {
    return which_ == kind::bit_and || which_ == kind::bit_or || which_ == kind::bit_xor;
  }
  /// Of `adaptive`: the uses after which an element has settled; 0: found by feedback.
  [[nodiscard]] constexpr double uses() const noexcept { return uses_; }
  /// Null pointers unless it is a function.
  [[nodiscard]] constexpr const abi::merge_function& function() const noexcept { return function_; }
  friend constexpr bool operator==(const rule&, const rule&) noexcept = default;

 private:
  friend constexpr rule by_uses(double uses);
  kind which_;
  double uses_ = 0;
  abi::merge_function function_{};
};
inline constexpr rule sum = rule::kind::sum;
inline constexpr rule mean = rule::kind::mean;
inline constexpr rule min = rule::kind::min;
inline constexpr rule max = rule::kind::max;
inline constexpr rule last = rule::kind::last;
inline constexpr rule adaptive = rule::kind::adaptive;
/// `adaptive` with a known scale, without feedback: an element has gone 1 - 1/e of its way after so many
/// uses. For steps of rate r on a curvature c, that is 1 / (r c). Throws error(errc::out_of_range) unless
/// `uses` is positive and finite.
constexpr rule by_uses(double uses) {
  if (!(uses > 0 && uses <= 1e300))
    throw error(errc::out_of_range, "merge::by_uses takes a finite number above 0");
  rule made(rule::kind::adaptive);
  made.uses_ = uses;
  return made;
}
}  // namespace merge

namespace consistency {

/// The consistency model of a launch, or of a container. Its values are `async`, `ordered`, `approximate`,
/// `sync`, the calls of these and of `stale` below, and copies of them; nothing else makes one.
/// @code
/// const bool exact = n < 1000;
/// const ConsistencyModel model = exact ? consistency::ordered : consistency::async;
/// parallel_for(n, [&X](int64_t j) { X[j] += 1; }, model);
/// @endcode
class ConsistencyModel {
 public:
  enum class kind : std::uint8_t { async, ordered, sync, approximate, stale };

  /// The model without its parameters.
  /// @code
  /// const ConsistencyModel model = consistency::sync(256);
  /// if (model.which() == ConsistencyModel::kind::sync) std::printf("batches of %ld\n", long(model.batch()));
  /// @endcode
  [[nodiscard]] constexpr kind which() const noexcept { return kind_; }
  /// Iterations of one batch of a `sync` loop; 0: the whole loop is one batch.
  [[nodiscard]] constexpr std::int64_t batch() const noexcept { return batch_; }
  /// Parts of a batch that run on private copies. They decide the result, so their number never depends on
  /// workers.
  [[nodiscard]] constexpr std::int64_t shards() const noexcept { return shards_; }
  /// The fold of numbers that shards changed.
  [[nodiscard]] constexpr stradsap::merge::rule merge() const noexcept { return merge_; }
  /// The greatest dependence of two updates of an `approximate` loop that may run side by side.
  [[nodiscard]] constexpr double rho() const noexcept { return rho_; }
  /// The sets of updates of an `approximate` loop that may be in flight when the next one begins.
  [[nodiscard]] constexpr std::int64_t depth() const noexcept { return depth_; }
  /// The rounds that a read of a `stale` container may miss, beside the running one; of a `stale` loop,
  /// calls.
  [[nodiscard]] constexpr std::int64_t bound() const noexcept { return bound_; }
  /// The elements of a `stale` container that are so: the hottest ones; 0: by counts; negative: all of them.
  [[nodiscard]] constexpr std::int64_t hottest() const noexcept { return hottest_; }
  /// Iterations of one round of a `stale` container; 0: the runtime chooses, by counts.
  [[nodiscard]] constexpr std::int64_t round() const noexcept { return batch_; }
  /// Private copies of a `stale` container.
  [[nodiscard]] constexpr std::int64_t accumulators() const noexcept { return shards_; }
  /// Whether a call of a `stale` loop sees more calls than the bound promises, if they have come.
  [[nodiscard]] constexpr bool free_running() const noexcept { return free_running_; }
  /// Bytes of changes that a rank sends to each other one in a call of a `stale` loop; 0: all changes.
  [[nodiscard]] constexpr std::int64_t budget() const noexcept { return budget_; }

 private:
  friend struct abi::models;
  friend class sync_model;
  friend class approximate_model;
  friend class stale_models;
  constexpr explicit ConsistencyModel(kind k_, std::int64_t batch = 0, std::int64_t shards = 16,
                                      stradsap::merge::rule merge = stradsap::merge::sum)
      : kind_(k_), batch_(batch), shards_(shards), merge_(merge) {}

  kind kind_;
  std::int64_t batch_;
  std::int64_t shards_;
  stradsap::merge::rule merge_;
  double rho_ = 0.1;
  std::int64_t depth_ = 0;
  std::int64_t bound_ = 0;
  std::int64_t hottest_ = -1;
  bool free_running_ = false;
  std::int64_t budget_ = 0;
};

/// Parameters of a `sync` loop: iterations of a batch (0: all of the loop), shards of a batch, and the fold
/// of their changes.
struct sync_options {
  std::int64_t batch = 0;
  std::int64_t shards = 16;
  stradsap::merge::rule merge = stradsap::merge::sum;
};

/// The type of `consistency::sync`, which is a model itself and makes models with parameters.
class sync_model : public ConsistencyModel {
 public:
  constexpr ConsistencyModel operator()(std::int64_t batch) const {
    return ConsistencyModel(kind::sync, batch);
  }
  constexpr ConsistencyModel operator()(sync_options o_) const {
    return ConsistencyModel(kind::sync, o_.batch, o_.shards, o_.merge);
  }

 private:
  friend struct abi::models;
  constexpr sync_model() : ConsistencyModel(kind::sync) {}
};

/// Parameters of an `approximate` loop: see depends() and pipeline_depth() of schedule::dynamic(), which take
/// precedence.
struct approximate_options {
  double rho = 0.1;
  std::int64_t depth = 0;
};

/// The type of `consistency::approximate`, which is a model itself and makes models with parameters.
class approximate_model : public ConsistencyModel {
 public:
  /// Throws error(errc::out_of_range) if rho is negative or not a number, or depth is negative.
  constexpr ConsistencyModel operator()(approximate_options o_) const {
    if (!(o_.rho >= 0)) throw error(errc::out_of_range, "consistency::approximate takes a rho from 0 on");
    if (o_.depth < 0) throw error(errc::out_of_range, "consistency::approximate takes a depth from 0 on");
    ConsistencyModel made(kind::approximate);
    made.rho_ = o_.rho;
    made.depth_ = o_.depth;
    return made;
  }

 private:
  friend struct abi::models;
  constexpr approximate_model() : ConsistencyModel(kind::approximate) {}
};

/// Parameters of a `stale` container: the rounds that a read may miss, iterations of a round (0: the runtime
/// chooses, by counts), the fold of the changes of a round, and the private copies that take these changes.
/// With fewer accumulators a fold costs less and an iteration sees more of the others, but no more threads
/// than accumulators run at a time. A loop has the least number of all its stale containers.
/// Of a `stale` loop a call is a round, and `round` and `accumulators` stay as they are. A call of a
/// `free_running` loop sees all calls that have come from all ranks when it begins, at least those that the
/// bound promises. On several ranks time then decides which these are, and the bits of the result.
/// With a `budget`, a rank sends in such a call at most so many bytes of changes to each other rank: for one
/// half those that are greatest beside their elements, for the other the oldest. Others wait for later calls,
/// at most for half of the bound. Then they are sent whatever the budget is, so the bound's promise holds.
struct stale_options {
  std::int64_t bound = 0;
  std::int64_t round = 0;
  stradsap::merge::rule merge = stradsap::merge::sum;
  std::int64_t accumulators = 16;
  bool free_running = false;
  std::optional<std::int64_t> budget = {};
};

/// The elements of a container that most iterations touch: `hottest(n)` are the first n, or fewer if loops
/// touch fewer; `hottest()` are those that more than one iteration in 64 touches. Throws
/// error(errc::out_of_range) if n is below 1.
class hottest {
 public:
  constexpr hottest() = default;
  explicit constexpr hottest(std::int64_t n_in) : n_(n_in) {
    if (n_in < 1) throw error(errc::out_of_range, "consistency::hottest takes a number from 1 on");
  }
  [[nodiscard]] constexpr std::int64_t count() const noexcept { return n_; }

 private:
  std::int64_t n_ = 0;
};

/// The type of `consistency::stale`, which makes models of containers and of loops.
class stale_models {
 public:
  constexpr ConsistencyModel operator()(std::int64_t bound,
                                        std::source_location where = std::source_location::current()) const {
    return (*this)(stale_options{.bound = bound}, where);
  }
  /// Throws error(errc::out_of_range) if a number is negative, the bound is above 64, or the number of
  /// accumulators is not 2, 4, 8, 16 or 32. Throws error(errc::unsupported) if a budget stands beside other
  /// options than `free_running`, a bound from 1 on, and a merge that is not adaptive.
  constexpr ConsistencyModel operator()(stale_options o_,
                                        std::source_location where = std::source_location::current()) const {
    if (o_.bound < 0 || o_.bound > most_bound) refuse(where, "a bound from 0 to 64", o_.bound);
    if (o_.round < 0) refuse(where, "rounds from 0 iterations on", o_.round);
    if (o_.accumulators < 2 || o_.accumulators > most_accumulators ||
        (o_.accumulators & (o_.accumulators - 1)) != 0)
      refuse(where, "2, 4, 8, 16 or 32 accumulators", o_.accumulators);
    ConsistencyModel made(kind::stale, o_.round, o_.accumulators, o_.merge);
    made.bound_ = o_.bound;
    made.free_running_ = o_.free_running;
    if (o_.budget) made.budget_ = checked_budget(o_, where);
    return made;
  }
  /// Only the hottest elements are so. All others stay serializable.
  constexpr ConsistencyModel operator()(std::int64_t bound, hottest which,
                                        std::source_location where = std::source_location::current()) const {
    return (*this)(stale_options{.bound = bound}, which, where);
  }
  constexpr ConsistencyModel operator()(stale_options o_, hottest which,
                                        std::source_location where = std::source_location::current()) const {
    ConsistencyModel made = (*this)(o_, where);
    made.hottest_ = which.count();
    return made;
  }

 private:
  using kind = ConsistencyModel::kind;
  static constexpr std::int64_t most_bound = 64;  // each one more is another copy of the elements
  static constexpr std::int64_t most_accumulators = 32;

  static constexpr std::int64_t checked_budget(const stale_options& o_, const std::source_location& where) {
    if (*o_.budget < 1) refuse(where, "a budget from 1 byte on", *o_.budget);
    if (!o_.free_running)
      refuse(where,
             "a .budget only with .free_running = true, since without it each call promises its reads");
    if (o_.bound < 1)
      refuse(where, "a .budget only with a .bound from 1 on, since changes wait for later calls");
    if (o_.merge.which() == stradsap::merge::rule::kind::adaptive)
      refuse(
          where,
          "a .budget only with merge::sum, mean, min, max, last or a function: it hides the uses of a call");
    return *o_.budget;
  }
  [[__noreturn__]] static void refuse(const std::source_location& where, const std::string& wanted) {
    throw error(errc::unsupported, place(where) + ": consistency::stale takes " + wanted);
  }
  [[__noreturn__]] static void refuse(const std::source_location& where, const char* wanted,
                                      std::int64_t given) {
    throw error(errc::out_of_range,
                place(where) + ": consistency::stale takes " + wanted + ", not " + std::to_string(given));
  }
  static std::string place(const std::source_location& where) {
    return std::string(where.file_name()) + ':' + std::to_string(where.line());
  }
};

}  // namespace consistency

namespace abi {

/// Makes the models that programs name.
struct models {
  using model = consistency::ConsistencyModel;
  static constexpr model of(model::kind k_) { return model(k_); }
  static constexpr consistency::sync_model sync() { return {}; }
  static constexpr consistency::approximate_model approximate() { return {}; }
};

}  // namespace abi

namespace consistency {

/// Serializable (AsyncFor in the paper): the result is that of one serial order of all iterations. The order
/// depends on data, seed and earlier launches only, so the bits are the same for any number of ranks and
/// threads.
/// @code
/// parallel_for(n, [&X, &id](int64_t j) { X[id[j]] += 1; }, consistency::async);
/// @endcode
inline constexpr ConsistencyModel async = abi::models::of(ConsistencyModel::kind::async);
/// The result of program order, bit for bit. Some loops run on one thread under it: see docs/consistency.md.
/// @code
/// parallel_for(n, [&X, &id](int64_t j) { X[id[j]] += 1; }, consistency::ordered);
/// @endcode
inline constexpr ConsistencyModel ordered = abi::models::of(ConsistencyModel::kind::ordered);
/// Synchronous (SyncFor in the paper). A batch is cut into shards. Each shard starts from the state at the
/// batch's start and sees its own writes only. At the end of the batch the changes of all shards are folded,
/// in shard order: numbers add up their differences.
/// @code
/// const auto body = [&X, &id](int64_t j) { X[id[j]] += 1; };
/// parallel_for(n, body, consistency::sync);  // one batch
/// parallel_for(n, body, consistency::sync(256));
/// parallel_for(n, body, consistency::sync({.batch = 256, .shards = 8}));
/// @endcode
inline constexpr sync_model sync = abi::models::sync();
/// For loops of schedule::dynamic(): an update may miss the changes of others in its set, if by depends() it
/// is no more dependent on them than rho. With a depth d, it may miss those of the d sets before too. Without
/// depends() and set_size() each update sees all earlier ones.
/// @code
/// const auto near = [](int64_t a, int64_t b) { return std::abs(a - b) < 2 ? 1.0 : 0.0; };
/// const auto apart = schedule::dynamic().depends(near);
/// parallel_for(n, [&X](int64_t j) { X[j] *= 0.5f; }, consistency::approximate, schedule::dynamic());
/// parallel_for(n, [&X](int64_t j) { X[j] *= 0.5f; }, consistency::approximate({.rho = 0.2}), apart);
/// @endcode
inline constexpr approximate_model approximate = abi::models::approximate();
/// A model of containers, for elements that nearly every iteration of an `async` loop touches. The loop is
/// cut into rounds, and a round among accumulators. With the bound 0, an iteration sees the state at the
/// start of its round, and the changes that its own accumulator has made since. At the end of the round the
/// changes of all accumulators are folded, in their order: numbers add up their differences. With a bound s,
/// an iteration of round r sees the folds of all rounds up to r - s - 1, and all changes of its own
/// accumulator; then no accumulator waits for others that are less than s rounds behind. Such a container is
/// not cut, and no iteration waits for it. With `hottest(n)` this holds for the n elements that most
/// iterations touch, and the other elements stay serializable.
/// As the model of a loop: each call is such a round, of all dvectors that the loop writes at other places
/// than its index, and accumulators are equal contiguous parts of the loop. parallel_for then returns when
/// the driver's rank has ended the call; others may be up to s calls behind. Any access of the program to
/// such a dvector, or another loop over it, waits for all calls, and the next call sees all of them. A sum
/// that no call waits for is a stradsap::running.
/// @code
/// dvector<long> totals(100, consistency::stale(0));
/// dvector<long> counts(100, consistency::stale(1));
/// dvector<float> weights(100, 0.5f, consistency::stale({.round = 4096, .merge = merge::mean}));
/// dvector<float> rows(10000, 0.5f, consistency::stale(0, consistency::hottest(128)));
/// async_for(n, [&X, &id, &totals](int64_t j) { X[j] = static_cast<float>(++totals[id[j] % 100]); });
/// parallel_for(n, [&X, &id](int64_t j) { X[id[j]] *= 0.5f; }, consistency::stale(2));
/// const ConsistencyModel fresh = consistency::stale({.bound = 2, .free_running = true});
/// parallel_for(n, [&X, &id](int64_t j) { X[id[j]] *= 0.5f; }, fresh);
/// const ConsistencyModel few = consistency::stale({.bound = 16, .free_running = true, .budget = 65536});
/// parallel_for(n, [&X, &id](int64_t j) { X[id[j]] *= 0.5f; }, few);
/// @endcode
inline constexpr stale_models stale{};

}  // namespace consistency

using consistency::ConsistencyModel;

namespace abi {

/// Throws error(errc::unsupported) if containers cannot have the model.
constexpr void check_model_of_container(const ConsistencyModel& model) {
  if (model.which() != ConsistencyModel::kind::stale && model.which() != ConsistencyModel::kind::async)
    throw error(errc::unsupported, "a container takes consistency::stale or consistency::async as its model");
  if (model.free_running())
    throw error(errc::unsupported,
                "consistency::stale of a container takes no .free_running: give it to a loop");
}

}  // namespace abi

}  // namespace stradsap

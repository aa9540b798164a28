// The order of the updates of a dynamic loop: passes over all iterations, and between them sweeps over the
// active set, which are the iterations that still change their elements (Friedman, Hastie, Tibshirani:
// Regularization paths for generalized linear models via coordinate descent, 2010, section 2.6). Each sweep
// has an order of its own, drawn at random (Hsieh, Chang, Lin, Keerthi, Sundararajan: A dual coordinate
// descent method for large-scale linear SVM, 2008, section 3.2). If the program states priorities, a sweep is
// a round of draws in proportion to them: as many as there are iterations with a priority.
// The order depends on changes and seed alone, and neither on time nor on executors.
// Thread rule: one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/loop/dynamic/priorities.hpp"

namespace stradsap::rt {

/// The end of a dynamic loop.
struct update_limits {
  std::uint64_t most_updates = 0;
  /// The loop ends after a pass that changed no element by more than this part of the greatest one. Negative:
  /// it does not end so.
  double tolerance = -1;
};

/// An iteration to run, and the sweeps in a row in which it left its element as it was.
struct candidate {
  std::int64_t iteration = 0;
  int idle = 0;
};

/// Iterations to run next, all different. `count` 0: none.
struct update_range {
  std::int64_t first = 0;
  std::int64_t count = 0;
  const candidate* members = nullptr;  // of a sweep; null: contiguous iterations of a pass

  [[nodiscard]] candidate member(std::size_t k) const {
    return members != nullptr ? members[k] : candidate{first + static_cast<std::int64_t>(k), 0};
  }
};

class update_order {
 public:
  static constexpr std::int64_t most_in_range = 64;

  /// For iterations [0, n), n > 0. `greatest2` finds the greatest squared norm of an element. `drawn`: the
  /// program's priorities, or null.
  update_order(std::int64_t n, std::uint64_t seed, const update_limits& limits,
               std::function<double()> greatest2, priorities* drawn = nullptr);

  /// Begins with sweeps over these iterations, of which the elements are not zero: a solve often starts from
  /// the solution of a similar problem. Before next().
  void begin_with(const std::vector<std::int64_t>& active);
  /// Begins with sweeps over the program's choice of iterations, all different. These and later sweeps go on
  /// until they change no element by more than a part of the tolerance: the next pass may then be the last.
  /// `norm2` finds the squared norm of an iteration's element. Before next().
  void begin_with(const std::vector<std::int64_t>& chosen, std::function<double(std::int64_t)> norm2);
  /// The iterations to run next; none at the end. Call it when the changes of the last ones are known. Of a
  /// sweep it gives at most `most_of_sweep`, and one with priorities.
  [[nodiscard]] update_range next(std::int64_t most_of_sweep = 1);
  /// It has moved its element by this squared distance. Members of a range one after the other.
  void changed(const candidate& one, double distance2);

  // ---- the same, for sets of iterations ----

  /// The next iterations of this pass or sweep, at most `most`, first those that were given back. None at the
  /// end, and at the end of a pass or sweep of which some are in flight: taken, and neither given back nor
  /// reported by changed().
  [[nodiscard]] std::vector<candidate> take(std::size_t most, std::size_t in_flight = 0);
  /// These have not run. They come first in the next take(), in this order.
  void give_back(const std::vector<candidate>& left) {
    given_back_.insert(given_back_.begin(), left.begin(), left.end());
  }
  /// Whether this is a pass over all iterations. Most of these leave their elements as they are.
  [[nodiscard]] bool is_in_pass() const { return stage_ == stage::pass; }

  /// The first failure of the program's priorities. No more iterations may run then.
  [[nodiscard]] std::optional<failure> failed() const {
    return drawn_ == nullptr ? std::nullopt : drawn_->failed();
  }
  [[nodiscard]] std::uint64_t updates() const { return updates_; }
  [[nodiscard]] std::uint64_t passes() const { return passes_; }
  [[nodiscard]] std::uint64_t sweeps() const { return sweeps_; }
  /// Whether the tolerance has ended the loop.
  [[nodiscard]] bool has_converged() const { return has_converged_; }
  /// The greatest change in the last pass, as a part of the greatest element; 0 if no pass has ended.
  [[nodiscard]] double last_change() const;
  /// The last passes in a row that have each left a greater greatest element than the one before.
  /// The greatest change of the last pass, and of the updates since.
  [[nodiscard]] double greatest_change() const;
  [[nodiscard]] std::uint64_t passes_of_growth() const { return passes_of_growth_; }

 private:
  enum class stage : std::uint8_t { pass, sweep, ended };

  void end_stage();
  [[nodiscard]] update_range next_in_pass();
  [[nodiscard]] update_range next_in_sweep(std::int64_t most);
  void begin(stage s);
  void shuffle();
  [[nodiscard]] bool has_next_in_sweep() const;
  [[nodiscard]] candidate take_next_in_sweep();
  void end_pass();
  void end_sweep();
  [[nodiscard]] double to_leave2() const;

  const std::int64_t n_;
  const std::uint64_t seed_;
  const update_limits limits_;
  const std::function<double()> greatest2_;
  std::function<double(std::int64_t)> norm2_;  // empty if the program has chosen no start
  priorities* const drawn_;                    // or null
  stage stage_ = stage::pass;
  std::uint64_t updates_ = 0;
  std::uint64_t updates_before_ = 0;  // the end of the last pass
  std::uint64_t passes_ = 0;          // that have ended
  std::uint64_t sweeps_ = 0;
  bool has_converged_ = false;
  std::int64_t next_iteration_ = 0;  // of a pass
  std::vector<candidate> active_;    // without priorities
  std::size_t sweep_size_ = 0;
  std::size_t next_member_ = 0;  // of a sweep
  std::size_t kept_ = 0;         // members before it that stay
  candidate drawn_last_;
  std::vector<candidate> given_back_;
  double change2_ = 0;          // greatest of this pass or sweep
  double to_solve2_ = -1;       // greatest change of the last pass; before, of the first sweep
  double greatest2_after_ = 0;  // greatest element after it
  std::uint64_t passes_of_growth_ = 0;
};

}  // namespace stradsap::rt

// A look at a sample of the iterations before a plan is made. Where nearly all of them conflict, a plan would
// cost time and find nothing to run in parallel. Where blocks would be few or tiny, program order and waves
// are better. The result depends on data alone, never on time or workers.
// Thread rule: the driver's thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "runtime/dds/copies.hpp"
#include "runtime/loop/access/access_sets.hpp"
#include "runtime/loop/access/stretches.hpp"
#include "runtime/loop/access/touch_index.hpp"
#include "runtime/loop/launch/frame.hpp"
#include "runtime/loop/plan/plan.hpp"

namespace stradsap::rt {

/// A sample, spread evenly over the loop. Iterations that touch nothing, such as those that return early,
/// count in no average of those that do.
struct survey {
  std::uint64_t iterations = 0;
  std::uint64_t idle = 0;           // of these: touch nothing
  std::uint64_t longest_chain = 0;  // of iterations that each conflict with the one before
  std::uint64_t most_uses = 0;      // iterations with the hottest element
  std::uint32_t capture = 0;        // of the hottest element
  std::uint64_t element = 0;
  double touches = 0;               // of an iteration that touches something, on average
  double blocks_at_once = 0;        // if the loop were planned by blocks
  double block_length = 0;          // iterations of a block that touch something, on average.
  double added_bytes = 0;           // of written containers that any iteration touches, on average
  std::uint64_t written_bytes = 0;  // of written containers
  double touch_work = 0;            // of one that touches something: about nanoseconds.

  /// The sampled iterations that could run at a time, on average.
  [[nodiscard]] double parallelism() const {
    return static_cast<double>(iterations) / static_cast<double>(longest_chain);
  }
  [[nodiscard]] std::uint64_t active() const { return iterations - idle; }
  /// The part of the iterations that touch something.
  [[nodiscard]] double share_active() const {
    return static_cast<double>(active()) / static_cast<double>(std::max<std::uint64_t>(1, iterations));
  }
  /// Without those that touch nothing.
  [[nodiscard]] double active_parallelism() const {
    return idle == 0 || active() == 0 ? parallelism()
                                      : static_cast<double>(active()) / static_cast<double>(longest_chain);
  }
};

/// The way to run a loop that writes at computed places.
enum class loop_route : std::uint8_t {
  program_order,  // nearly all iterations conflict
  waves,          // or program order, with the same bits
  blocks,
  stretches,  // blocks of consecutive iterations, none of which conflict
  additions,  // the containers that it writes are only added into: accumulators, on the driver's rank
};
[[nodiscard]] loop_route route_for(const survey& found);
/// Whether the blocks that touch something are long enough, and enough of them run at a time, that waves or
/// program order are no better, by the measure of route_for().
[[nodiscard]] bool are_worthwhile(const block_plan& made);
/// Whether an iteration takes less time than to pass its elements to another thread, by the sizes of its
/// elements.
[[nodiscard]] bool is_short(const survey& found);

/// The number of accumulators for a loop of n iterations that could only add into its written containers; 0
/// if folding them would take much of the loop.
[[nodiscard]] std::uint32_t large_accumulators(const survey& found, std::int64_t n);

/// Counts conflicts, iteration by iteration.
class conflict_counter {
 public:
  /// Adds iteration `i` of `sets`.
  void add(const access_sets& sets, std::uint64_t i);
  [[nodiscard]] const survey& result() const { return found_; }

 private:
  /// The iterations so far with one element.
  struct element_uses {
    std::uint64_t count = 0;
    std::uint64_t chain = 0;  // the longest chain that ends with the last of them
  };
  struct touched_element {
    std::uint32_t uses;
    std::uint32_t capture;
    std::uint64_t element;
  };
  touch_index places_;  // in uses_
  std::vector<element_uses> uses_;
  std::vector<touched_element> touched_;  // by the current iteration
  survey found_;
};

/// The k-th of `sampled` iterations of a loop of n, 0 <= k < sampled <= n.
[[nodiscard]] std::int64_t sampled_iteration(std::int64_t k, std::int64_t sampled, std::int64_t n);
/// The number of iterations to look at in a loop of n, with `touches` an iteration on average.
[[nodiscard]] std::int64_t sample_size(std::int64_t n, double touches);

/// Runs the inspector on the sample. `bring` makes an iteration's aligned elements current here; the
/// containers that the loop reads must be here.
[[nodiscard]] survey survey_iterations(const loop_frame& f, copy_service& copies,
                                       const std::function<void(std::int64_t)>& bring);

/// Of an iteration, on average over a few.
struct iteration_width {
  double touches = 0;
  double calls = 0;  // accesses that the inspector reads
};
/// Looks at `some` iterations or, in a shorter loop, at all. As survey_iterations().
[[nodiscard]] iteration_width width_of_iterations(std::int64_t some, const loop_frame& f,
                                                  copy_service& copies,
                                                  const std::function<void(std::int64_t)>& bring);

/// The element, or the first one of a row, that most of the sampled iterations touch.
struct hottest_use {
  std::uint64_t uses = 0;
  std::uint64_t sampled = 0;
  std::uint64_t element = 0;
};
/// Per capture, among the containers that the loop writes at computed places. As survey_iterations().
[[nodiscard]] std::vector<hottest_use> hottest_uses(const loop_frame& f, copy_service& copies,
                                                    const std::function<void(std::int64_t)>& bring);

/// Whether each iteration of a window touches an element of the one before it, and the last one none of the
/// first: then each has to wait for the one before.
[[nodiscard]] bool passes_elements_on(const access_sets& window);

/// Whether two windows of neighbouring iterations pass elements on, as a sweep over a grid does. A sample of
/// distant iterations finds no conflict there. Requires that the loop adds no keys.
[[nodiscard]] bool survey_chains(const loop_frame& f, copy_service& copies,
                                 const std::function<void(std::int64_t)>& bring);

/// Whether a sample of pairs of neighbouring iterations, or a short loop as a whole, has stretches. Then the
/// elements that an iteration names, on average; else no value. Gives up at the first other iteration.
/// Appends the stretches of all iterations of a short loop to `runs`.
[[nodiscard]] std::optional<double> survey_stretches(const loop_frame& f, copy_service& copies,
                                                     const std::function<void(std::int64_t)>& bring,
                                                     std::vector<stretch_run>& runs);

}  // namespace stradsap::rt

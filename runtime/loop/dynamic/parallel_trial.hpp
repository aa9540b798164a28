// `--simulate-parallel`: runs a dynamic loop from the same start again and again, each time with more updates
// side by side. The updates of a set miss each other's changes, as those of so many workers would. Afterwards
// all elements and reductions are as before. Thread rule: the driver's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/loop/dynamic/dynamic_execution.hpp"

namespace stradsap::rt {

struct parallel_trial {
  enum class end : std::uint8_t { converged, limit, failed };

  std::int64_t workers = 1;
  std::uint64_t updates = 0;  // calls of the body
  std::uint64_t rounds = 0;   // of at most `workers` updates
  double last_change = 0;     // of the last pass, as a part of the greatest element
  end how = end::converged;
  std::string why;  // failed: the failure. Else, if updates cannot run side by side: the reason
};

/// A dynamic loop that has not run.
struct dynamic_loop {
  const loop_frame& frame;
  const std::vector<std::byte*>& partials;
  update_limits limits;
  const schedule::dynamic_schedule& how;
  set_options sets;
};

/// Trials with 1, 2, 4, ... and `most` workers. A trial ends after ten times the updates of the first one, if
/// not before. If the body allows no sets, there is the first trial alone.
[[nodiscard]] std::vector<parallel_trial> try_side_by_side(const dynamic_loop& loop, std::int64_t most,
                                                           executor_pool& pool);

}  // namespace stradsap::rt

// What a loop does that is planned iteration by iteration. An iteration's level is one more than the highest
// level of the earlier ones that share an element with it: iterations of a level share none, and levels one
// after the other give what the program's order gives. This is one rank's share: a list of steps for each of
// its lanes. Thread rule: immutable while a launch runs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "runtime/base/ids.hpp"
#include "runtime/dds/element_array.hpp"
#include "runtime/loop/wave_trace.hpp"

namespace stradsap::rt {

/// Sums have so many parts, and lanes take whole ones: the same on any ranks and threads.
inline constexpr std::uint32_t num_wave_parts = 64;

struct wave_place {
  rank_id rank = 0;
  std::uint32_t lane = 0;  // of that rank
};

/// Which lane adds for a part into accumulated containers.
[[nodiscard]] inline std::uint32_t delta_lane_of(std::uint32_t part, std::uint32_t delta_lanes) {
  return part * delta_lanes / num_wave_parts;
}

/// Parts that add together stay together, in runs. How many runs there are, and which one has a part.
[[nodiscard]] inline std::uint32_t num_part_runs(std::uint32_t delta_lanes) {
  return delta_lanes == 0 ? num_wave_parts : delta_lanes;
}
[[nodiscard]] inline std::uint32_t run_of_part(std::uint32_t part, std::uint32_t delta_lanes) {
  return delta_lane_of(part, num_part_runs(delta_lanes));
}

/// Lanes take contiguous runs of parts: equally many, or lane l those before `shares[l]`, counting lanes over
/// all ranks. Shares of other numbers of lanes or runs are none.
[[nodiscard]] inline wave_place place_of_part(std::uint32_t part, std::uint32_t delta_lanes, int ranks,
                                              std::uint32_t lanes_per_rank,
                                              std::span<const std::uint64_t> shares = {}) {
  const std::uint64_t runs = num_part_runs(delta_lanes);
  const std::uint64_t run = run_of_part(part, delta_lanes);
  const std::uint64_t lanes = std::uint64_t{lanes_per_rank} * static_cast<std::uint64_t>(ranks);
  std::uint64_t lane = run * lanes / runs;
  if (shares.size() == lanes && shares.back() == runs)
    lane = static_cast<std::uint64_t>(std::upper_bound(shares.begin(), shares.end(), run) - shares.begin());
  return {static_cast<rank_id>(lane / lanes_per_rank), static_cast<std::uint32_t>(lane % lanes_per_rank)};
}

/// A level that goes over several ranks ends with messages; that many ranks are worth it. `work_of_level`:
/// about nanoseconds.
[[nodiscard]] inline int ranks_for_waves(std::uint64_t work_of_level, int ranks) {
  constexpr std::uint64_t work_of_message = 20'000;  // that a rank has to do meanwhile
  const std::uint64_t worth_it = work_of_level / work_of_message;
  return static_cast<int>(std::clamp<std::uint64_t>(worth_it, 1, static_cast<std::uint64_t>(ranks)));
}

/// A step may begin when `source` has come as far as `count`: a lane of this rank to the end of that level,
/// or as many messages from a rank. Sources are lanes, then ranks.
struct wave_need {
  std::uint32_t source = 0;
  std::uint32_t count = 0;
};

/// Iterations of one lane, of one or several levels, that run without waiting.
struct wave_step {
  static constexpr std::uint32_t no_departure = std::numeric_limits<std::uint32_t>::max();

  std::uint64_t end = 0;                   // in the lane's lists, where the next one begins
  std::uint32_t level = 0;                 // its last
  std::uint32_t needs_end = 0;             // in the lane's needs
  std::uint32_t departure = no_departure;  // elements that may leave this rank after it
};

struct wave_lane_share {
  std::vector<std::uint32_t> iterations;
  std::vector<std::uint8_t> parts;      // of sums, for each iteration
  std::vector<std::uint64_t> set_ends;  // of each iteration's elements
  std::vector<std::uint32_t> sets;      // numbers of elements
  std::vector<element_array> streams;   // per capture: aligned elements in the order of `iterations`
  std::vector<wave_step> steps;
  std::vector<wave_need> needs;
};

/// Elements that go from one rank to another after a level.
struct wave_message {
  rank_id to = 0;
  std::vector<std::uint32_t> elements;
};

/// What leaves a rank after a level: when all its lanes that have iterations in it are through.
struct wave_departure {
  std::uint32_t lanes = 0;
  std::vector<wave_message> messages;
};

/// What a part has to do, about: touches of elements.
struct part_work {
  std::uint64_t dealt = 0;  // in levels that all parts take part in
  std::uint64_t alone = 0;  // in others
  std::uint64_t iterations = 0;
};

struct wave_plan {
  std::vector<wave_lane_share> lanes;
  std::vector<std::uint32_t> first_element;  // per capture: the number of its container's element 0
  std::vector<bool> is_part_used;            // of the sums
  std::vector<rank_id> rank_of_part;
  std::vector<std::uint32_t> lane_of_part;  // on that rank
  std::vector<part_work> work_of_part;
  std::uint32_t executors = 1;  // lanes that parts are dealt to, of all ranks
  std::uint64_t levels = 0;
  double parallelism = 1;                   // iterations, over those of the longest chain
  std::shared_ptr<const wave_trace> trace;  // where other numbers of ranks are simulated

  // where there are several ranks
  std::vector<rank_id> first_rank;  // per element: who uses it first, and last
  std::vector<rank_id> last_rank;
  std::vector<std::vector<rank_id>> owners;  // per capture: of its groups, after a launch
  std::vector<wave_departure> departures;    // in the order of levels
  std::vector<std::vector<std::vector<std::uint32_t>>> arrivals;  // per rank: what each of its messages holds
};

/// Iterations that `rank` has of parts which it had not.
[[nodiscard]] std::uint64_t iterations_taken(const wave_plan& before, const wave_plan& now, rank_id rank);

/// Who has each lane that adds, or -1.
[[nodiscard]] std::vector<rank_id> ranks_of_deltas(const wave_plan& p, std::uint32_t delta_lanes);

}  // namespace stradsap::rt

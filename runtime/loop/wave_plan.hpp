// What a loop does that is planned iteration by iteration. An iteration's level is one more than the highest
// level of the earlier ones that share an element with it: iterations of a level share none, and levels one
// after the other give what the program's order gives. This is one rank's share: a list of steps for each of
// its lanes. Thread rule: immutable while a launch runs.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "runtime/base/ids.hpp"
#include "runtime/dds/element_array.hpp"

namespace stradsap::rt {

/// Sums have so many parts, and lanes take whole ones: the same on any ranks and threads.
inline constexpr std::uint32_t num_wave_parts = 64;

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

/// Which lane adds for a part into accumulated containers.
[[nodiscard]] inline std::uint32_t delta_lane_of(std::uint32_t part, std::uint32_t delta_lanes) {
  return part * delta_lanes / num_wave_parts;
}

struct wave_plan {
  std::vector<wave_lane_share> lanes;
  std::vector<std::uint32_t> first_element;  // per capture: the number of its container's element 0
  std::vector<bool> is_part_used;            // of the sums
  std::vector<rank_id> rank_of_part;
  std::vector<std::uint32_t> lane_of_part;  // on that rank
  std::uint64_t levels = 0;
  double parallelism = 1;  // iterations, over those of the longest chain

  // where there are several ranks
  std::vector<rank_id> first_rank;  // per element: who uses it first, and last
  std::vector<rank_id> last_rank;
  std::vector<std::vector<rank_id>> owners;  // per capture: of its groups, after a launch
  std::vector<wave_departure> departures;    // in the order of levels
  std::vector<std::vector<std::vector<std::uint32_t>>> arrivals;  // per rank: what each of its messages holds
};

/// Who has each lane that adds, or -1.
[[nodiscard]] std::vector<rank_id> ranks_of_deltas(const wave_plan& p, std::uint32_t delta_lanes);

}  // namespace stradsap::rt

// The plan of a loop that is planned iteration by iteration. An iteration's level is one more than the
// highest level of the earlier iterations that share an element with it. Iterations of a level share none,
// and levels in sequence give the results of program order. The plan has one rank's share: a list of steps
// for each of its wave threads. Thread rule: immutable while a launch runs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "runtime/base/ids.hpp"
#include "runtime/dds/element_array.hpp"
#include "runtime/loop/plan/wave_trace.hpp"

namespace stradsap::rt {

/// Sums have one partial for each part. Wave threads take whole parts, so sums are the same for any ranks and
/// threads.
inline constexpr std::uint32_t num_wave_parts = 64;
/// The most elements, in all containers that a loop writes at computed places, for a plan of waves.
inline constexpr std::uint64_t most_wave_elements = 0xfffffff0u;
/// With so many blocks at a time, waves gain nothing; with fewer, they must run so many times as many
/// iterations.
inline constexpr double enough_blocks = 8;
inline constexpr double least_wave_gain = 1.5;
/// Approximate nanoseconds: of a level that is dealt out, at least; and of the touch of an element.
inline constexpr std::uint64_t least_level_work = 1000;
[[nodiscard]] constexpr std::uint64_t work_of_touch(std::size_t element_size) {
  return 3 + element_size / 16;
}

struct wave_place {
  rank_id rank = 0;
  std::uint32_t thread = 0;  // wave thread of that rank
};

/// The accumulator of a part.
[[nodiscard]] inline std::uint32_t accumulator_of(std::uint32_t part, std::uint32_t num_accumulators) {
  return part * num_accumulators / num_wave_parts;
}

/// Parts that share an accumulator form a run and stay together: the number of runs, and the run of a part.
[[nodiscard]] inline std::uint32_t num_part_runs(std::uint32_t num_accumulators) {
  return num_accumulators == 0 ? num_wave_parts : num_accumulators;
}
[[nodiscard]] inline std::uint32_t run_of_part(std::uint32_t part, std::uint32_t num_accumulators) {
  return accumulator_of(part, num_part_runs(num_accumulators));
}

/// The wave thread of a part. Each takes a contiguous range of runs: equally many, or thread l those before
/// `shares[l]`, numbered over all ranks. Shares of other numbers of threads or runs are ignored.
[[nodiscard]] inline wave_place place_of_part(std::uint32_t part, std::uint32_t num_accumulators, int ranks,
                                              std::uint32_t executors_per_rank,
                                              std::span<const std::uint64_t> shares = {}) {
  const std::uint64_t runs = num_part_runs(num_accumulators);
  const std::uint64_t run = run_of_part(part, num_accumulators);
  const std::uint64_t threads = std::uint64_t{executors_per_rank} * static_cast<std::uint64_t>(ranks);
  std::uint64_t thread = run * threads / runs;
  if (shares.size() == threads && shares.back() == runs)
    thread = static_cast<std::uint64_t>(std::upper_bound(shares.begin(), shares.end(), run) - shares.begin());
  return {static_cast<rank_id>(thread / executors_per_rank),
          static_cast<std::uint32_t>(thread % executors_per_rank)};
}

/// The number of ranks worth using for a level. A level on several ranks ends with messages. `work_of_level`:
/// approximate nanoseconds.
[[nodiscard]] inline int ranks_for_waves(std::uint64_t work_of_level, int ranks) {
  constexpr std::uint64_t work_of_message = 20'000;  // nanoseconds of work that outweigh a message
  const std::uint64_t worth_it = work_of_level / work_of_message;
  return static_cast<int>(std::clamp<std::uint64_t>(worth_it, 1, static_cast<std::uint64_t>(ranks)));
}

/// A step may begin when `source` has reached `count`: for a wave thread of this rank the end of that level,
/// for another rank so many messages. Sources are wave threads, then ranks.
struct wave_need {
  std::uint32_t source = 0;
  std::uint32_t count = 0;
};

/// Iterations of one wave thread that run without waiting, of one or several levels.
struct wave_step {
  static constexpr std::uint32_t no_departure = std::numeric_limits<std::uint32_t>::max();

  std::uint64_t end = 0;                   // position in the thread's lists at which the next step begins
  std::uint32_t level = 0;                 // of its last iterations
  std::uint32_t needs_end = 0;             // in the thread's needs
  std::uint32_t departure = no_departure;  // elements that may leave this rank after it
};

struct wave_thread_share {
  std::vector<std::uint32_t> iterations;
  std::vector<std::uint8_t> parts;      // of sums, by iteration
  std::vector<std::uint64_t> set_ends;  // end of each iteration's elements
  std::vector<std::uint32_t> sets;      // element numbers
  std::vector<element_array> streams;   // per capture: aligned elements in the order of `iterations`
  std::vector<wave_step> steps;
  std::vector<wave_need> needs;
};

/// Elements that go from one rank to another after a level.
struct wave_message {
  rank_id to = 0;
  std::vector<std::uint32_t> elements;
};

/// The messages that a rank sends after a level, when all its wave threads with iterations of the level have
/// finished it.
struct wave_departure {
  std::uint32_t threads = 0;
  std::vector<wave_message> messages;
};

/// The approximate work of a part, in touches.
struct part_work {
  std::uint64_t dealt = 0;  // in levels that are dealt to all parts
  std::uint64_t alone = 0;  // in levels that one part runs alone
  std::uint64_t iterations = 0;
};

struct wave_plan {
  std::vector<wave_thread_share> threads;
  std::vector<std::uint32_t> first_element;  // per capture: the number of its container's element 0
  std::vector<bool> is_part_used;            // of the sums
  std::vector<rank_id> rank_of_part;
  std::vector<std::uint32_t> thread_of_part;  // on that rank
  std::vector<part_work> work_of_part;
  std::uint32_t executors = 1;  // wave threads with parts, of all ranks
  std::uint64_t levels = 0;
  double parallelism = 1;                   // iterations, divided by those of the longest chain
  std::shared_ptr<const wave_trace> trace;  // for the simulation, else null

  // if there are several ranks
  std::vector<rank_id> first_rank;  // per element: the ranks of its first and last use
  std::vector<rank_id> last_rank;
  std::vector<std::vector<rank_id>> owners;  // per capture: of its groups, after a launch
  std::vector<wave_departure> departures;    // in the order of levels
  std::vector<std::vector<std::vector<std::uint32_t>>> incoming;  // by rank: elements of each message
};

/// The number of iterations in parts that `rank` has in `now` but not in `before`.
[[nodiscard]] std::uint64_t iterations_taken(const wave_plan& before, const wave_plan& now, rank_id rank);

/// The rank of each accumulator; -1 if it is not used.
[[nodiscard]] std::vector<rank_id> ranks_of_accumulators(const wave_plan& p, std::uint32_t num_accumulators);

}  // namespace stradsap::rt

// A launch as tasks on lanes, and what passes between them; and how long it would take on a cluster: a task
// begins when its lane is through with the one before it and all that it waits for has come. Events are
// simulated in the order of time. Thread rule: values.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "runtime/base/ids.hpp"
#include "runtime/base/simulated_cluster.hpp"

namespace stradsap::rt {

struct flow_task {
  double seconds = 0;
  rank_id rank = 0;
  int lane = 0;  // of that rank
};

/// What a task hands on to a later one. Between ranks it is a message.
struct flow_edge {
  static constexpr std::uint32_t from_start = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t from = from_start;  // a task, or what `owner` has as the loop begins
  std::uint32_t to = 0;
  rank_id owner = 0;
  std::uint64_t size_bytes = 0;
  double seconds_packing = 0;  // of the lane that sends it, and of the network's thread that takes it
};

/// Tasks in an order in which they could run one after the other; lanes run theirs in it.
struct flow {
  std::vector<flow_task> tasks;
  std::vector<flow_edge> edges;
  double seconds_hand_over = 0;  // from one lane to another of the same rank
};

struct flow_outcome {
  double seconds = 0;          // until the last task has ended
  double seconds_busiest = 0;  // of the lane that has most to do, in tasks
  int lanes_used = 0;
  std::uint64_t bytes_moved = 0;
  std::uint64_t messages = 0;
};

[[nodiscard]] flow_outcome simulate(const flow& f, const simulated_cluster& on);

/// The longest chain of tasks that wait for each other, on as many lanes as there are tasks and at no cost of
/// handing on.
[[nodiscard]] double longest_chain(const flow& f);

}  // namespace stradsap::rt

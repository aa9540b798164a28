// A launch as a graph of tasks on executors, with the data that pass between them, and a simulation of its
// time on a cluster. A task begins when its executor has ended the task before it, and all inputs have
// arrived. Events are simulated in the order of time. Thread rule: values.
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
  int thread = 0;  // executor of that rank
};

/// Data that a task passes to a later one. Between ranks it is a message.
struct flow_edge {
  static constexpr std::uint32_t from_start = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t from = from_start;  // a task; from_start: data that `owner` has when the loop begins
  std::uint32_t to = 0;
  rank_id owner = 0;
  std::uint64_t size_bytes = 0;
  double seconds_packing = 0;  // of the sending executor, and of the receiving network thread
};

/// Tasks in an order in which they could run one after another; each executor runs its own tasks in this
/// order.
struct flow {
  std::vector<flow_task> tasks;
  std::vector<flow_edge> edges;
  double seconds_hand_over = 0;  // from one executor to another of the same rank
};

struct flow_outcome {
  double seconds = 0;          // until the last task has ended
  double seconds_busiest = 0;  // of the busiest executor, in tasks
  int threads_used = 0;
  std::uint64_t bytes_moved = 0;
  std::uint64_t messages = 0;
};

/// Simulates the tasks and messages on the cluster.
[[nodiscard]] flow_outcome simulate(const flow& f, const simulated_cluster& on);

/// The longest chain of tasks that wait for each other, with an executor for each task and free transfers.
[[nodiscard]] double longest_chain(const flow& f);

}  // namespace stradsap::rt

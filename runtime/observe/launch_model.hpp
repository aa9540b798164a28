// The time of a launch on a cluster: its flow, and the messages between ranks before and after it. Blocks and
// parts have the places that a real run gives them. Thread rule: values.
#pragma once

#include <map>
#include <vector>

#include "runtime/observe/flow.hpp"
#include "runtime/observe/launch_sample.hpp"

namespace stradsap::rt {

/// The places of a container's elements when a launch begins.
struct simulated_holding {
  std::vector<rank_id> owners;  // by group
  bool is_copied = false;       // all ranks have all elements
  bool is_spread = false;       // ranks have the elements that their ranges of iterations read
};
using simulated_holdings = std::map<container_id, simulated_holding>;

struct launch_outcome {
  double seconds = 0;
  double seconds_work = 0;     // in bodies, of all executors
  double seconds_around = 0;   // of each rank, before and after its blocks
  double seconds_busiest = 0;  // of the busiest executor
  double seconds_chain = 0;    // of tasks that wait for each other
  double seconds_longest = 0;  // of one task
  double seconds_hottest = 0;  // of the blocks that use one group; the most
  std::string hottest;         // the container of that group
  std::string anchor;          // the container with groups that never move
  std::uint64_t anchor_groups = 0;
  std::uint64_t tasks = 0;
  int threads_used = 1;
  double bytes_moved = 0;
  double messages = 0;
  double rank_bytes = 0;  // memory of the fullest rank
};

/// Simulates a launch, and updates `holdings` to the places after it.
[[nodiscard]] launch_outcome model_launch(const launch_sample& sample, const simulated_cluster& on,
                                          simulated_holdings& holdings);

/// The same cluster with a network of no cost.
[[nodiscard]] simulated_cluster without_network(simulated_cluster c);

}  // namespace stradsap::rt

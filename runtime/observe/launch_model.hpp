// How long a launch takes on a cluster: its flow, and what ranks say to each other before and after it. The
// places of blocks and parts are those that a real run gives them. Thread rule: values.
#pragma once

#include <map>
#include <vector>

#include "runtime/observe/flow.hpp"
#include "runtime/observe/launch_sample.hpp"

namespace stradsap::rt {

/// Where containers are as a launch begins.
struct simulated_holding {
  std::vector<rank_id> owners;  // by group
  bool is_copied = false;       // all ranks have all of it
  bool is_spread = false;       // ranks have what their ranges of iterations read of it
};
using simulated_holdings = std::map<container_id, simulated_holding>;

struct launch_outcome {
  double seconds = 0;
  double seconds_work = 0;     // in bodies, of all lanes
  double seconds_around = 0;   // each rank for itself, before and after its blocks
  double seconds_busiest = 0;  // of the lane that has most to do
  double seconds_chain = 0;    // of tasks that wait for each other
  double seconds_longest = 0;  // of one task
  double seconds_hottest = 0;  // of the blocks that use one group, the longest
  std::string hottest;         // the container of that group
  std::string anchor;          // the container whose groups stay where they are
  std::uint64_t anchor_groups = 0;
  std::uint64_t tasks = 0;
  int lanes_used = 1;
  double bytes_moved = 0;
  double messages = 0;
  double rank_bytes = 0;  // of memory on the fullest rank
};

/// Holdings become those after the launch.
[[nodiscard]] launch_outcome model_launch(const launch_sample& sample, const simulated_cluster& on,
                                          simulated_holdings& holdings);

/// A network that costs nothing.
[[nodiscard]] simulated_cluster without_network(simulated_cluster c);

}  // namespace stradsap::rt

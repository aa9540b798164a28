// Plans as flows: blocks with their groups, or cells of waves with their elements. They have the places that
// a real run on so many ranks and threads gives them. Thread rule: values.
#pragma once

#include <vector>

#include "runtime/observe/flow.hpp"
#include "runtime/observe/launch_model.hpp"
#include "runtime/observe/launch_sample.hpp"

namespace stradsap::rt {

/// A launch as a flow, and the places of groups after it.
struct placed_flow {
  flow tasks;
  std::vector<rank_id> last_rank;  // by token: rank of its last block, or -1
};

/// Blocks in the serial order of the sample's pass. `places`: by block.
[[nodiscard]] placed_flow flow_of_blocks(const launch_sample& sample, const std::vector<block_place>& places,
                                         const simulated_holdings& holdings, bool packing_is_free);

/// Each cell of a wave plan is a task.
[[nodiscard]] flow flow_of_waves(const launch_sample& sample, const simulated_cluster& on);

}  // namespace stradsap::rt

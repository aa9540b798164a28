// Pieces of blocks that are ranges: a whole block, or parts of a block with much work. Pieces belong to one
// rank and follow the times of its last launch. Blocks, tokens and the parts of sums belong to the plan and
// do not change. Thread rule: values.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/loop/launch/frame.hpp"
#include "runtime/loop/plan/plan.hpp"
#include "runtime/loop/run/running_loop.hpp"

namespace stradsap::rt {

/// The blocks of rank `self`, each in one piece.
[[nodiscard]] std::vector<block_piece> whole_blocks(const block_plan& p, rank_id self);

/// Whether results have the same bits for any cut of blocks into pieces and any executors.
[[nodiscard]] bool may_cut_blocks(const loop_frame& f, const plan& p);

/// All iterations as one block, for one executor: to open windows on many takes as long as short iterations.
/// Null if there is one, or if that may change a bit.
[[nodiscard]] std::shared_ptr<const plan> join_blocks(const loop_frame& f, const plan& p);

/// The same blocks in pieces of about equal work for `executors` executors, by the time of each old piece. An
/// executor gets neighbouring pieces. Pieces of one block are in iteration order.
[[nodiscard]] std::vector<block_piece> cut_by_work(std::span<const block_piece> pieces,
                                                   std::span<const float> seconds, int executors);

/// After a launch with idle executors on rank `self`: cuts p's blocks into other pieces for the next launch.
void balance_executors(const loop_frame& f, plan& p, const loop_result& last, int executors, rank_id self);

}  // namespace stradsap::rt

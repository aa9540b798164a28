// What executors take of a plan whose blocks are ranges of iterations: a block, or pieces of it where it has
// more to do than others. Pieces are this rank's alone and follow the times of the launch before; blocks,
// tokens and what sums are folded in are the plan's and do not. Thread rule: values.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/loop/frame.hpp"
#include "runtime/loop/plan.hpp"
#include "runtime/loop/running_loop.hpp"

namespace stradsap::rt {

/// The blocks of rank `self`, each in one piece.
[[nodiscard]] std::vector<block_piece> whole_blocks(const block_plan& p, rank_id self);

/// The same bits come out however a block of the loop is cut into pieces, and whoever runs them.
[[nodiscard]] bool may_cut_blocks(const loop_frame& f, const plan& p);

/// The same blocks in pieces of about equal work on `lanes` executors, by what each piece took; an executor
/// gets what lies side by side. Pieces of one block stand in the order of iterations.
[[nodiscard]] std::vector<block_piece> cut_by_work(std::span<const block_piece> pieces,
                                                   std::span<const float> seconds, int lanes);

/// After a launch that left executors of rank `self` idle: the next one finds p's blocks in other pieces.
void balance_lanes(const loop_frame& f, plan& p, const loop_result& last, int lanes, rank_id self);

}  // namespace stradsap::rt

// Blocks that share no group, run in the order of the index: an executor runs the iterations of all its
// blocks as one list. Data that the body reads in sequence then come in sequence. By blocks they come in
// strides, and the processor prefetches no long strides.
//
// The bits are those of blocks. An element that the loop writes at computed places belongs to one block, and
// the iterations of a block run in the order of their index in both ways. So time may choose between them.
// Thread rule: one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "runtime/loop/blocks/execution.hpp"
#include "runtime/loop/blocks/index_pace.hpp"
#include "runtime/loop/launch/frame.hpp"
#include "runtime/loop/plan/plan.hpp"

namespace stradsap::rt {

struct index_order {
  std::optional<plan> merged;  // a block for each executor with iterations; none: it runs by blocks alone
  bool is_refused = false;
  index_pace pace = {};
};

/// Whether the loop may run in the order of its index, by its plan on the only rank: its blocks share no
/// group, and no sum depends on them.
[[nodiscard]] bool may_run_by_index(const loop_frame& f, const plan& p);

/// The plan of that order; none if the body would run in another copy, which may round differently.
[[nodiscard]] std::optional<plan> make_index_plan(const loop_frame& f, const plan& p, int executors);

/// A loop in the order of its index after failures.
struct rest_of_blocks {
  plan left;      // the blocks before the first failure, in their order, with the iterations left
  failure first;  // in the order of the blocks
};

/// `order`: the serial order of p's blocks. `failed`: at least one failure, at most one of each executor. An
/// executor has run its iterations up to its failure, or all.
[[nodiscard]] rest_of_blocks rest_after(const plan& p, std::span<const std::uint32_t> order,
                                        std::span<const failure> failed);

/// Runs an execution on this rank's executors.
using execution_runner = std::function<loop_result(execution&)>;

/// Runs p's blocks in `order`; or by index, if it may choose, that is possible and takes less time.
[[nodiscard]] loop_result run_blocks(const loop_frame& f, plan& p, const std::vector<std::uint32_t>& order,
                                     const loop_place& at, bool may_choose, const execution_runner& run);

}  // namespace stradsap::rt

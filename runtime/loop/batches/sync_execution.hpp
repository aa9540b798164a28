// Synchronous loops (SyncFor of STRADS-AP). A batch is cut into shards. Each shard runs on private copies of
// the batch's start state. Then owners fold the changes of all shards in shard order. Thread rule: one thread
// a rank; a collective.
#pragma once

#include "runtime/loop/plan/planning.hpp"
#include "runtime/loop/run/running_loop.hpp"

namespace stradsap::rt {

/// `batch`: iterations in a batch, 0 for all; a batch is cut into `shards`. Sums have one part for each shard
/// of each batch.
[[nodiscard]] loop_result run_sync(const planning& p, std::int64_t batch, std::int64_t shards);

}  // namespace stradsap::rt

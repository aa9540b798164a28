// Synchronous loops (STRADS-AP's SyncFor): a batch is cut into shards, each runs on private copies from the
// batch's start state, and what they changed is folded in shard order where the elements live. Thread rule:
// one thread a rank; a collective.
#pragma once

#include "runtime/loop/execution.hpp"
#include "runtime/loop/planner.hpp"

namespace stradsap::rt {

/// `batch` iterations to a batch (0: all), cut into `shards`. Sums have one part for each shard of each
/// batch.
[[nodiscard]] loop_result run_sync(const planning& p, std::int64_t batch, std::int64_t shards);

}  // namespace stradsap::rt

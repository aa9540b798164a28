// Synchronous loops (SyncFor of STRADS-AP). A batch is cut into shards. Each shard runs on private copies of
// the batch's start state. Then owners fold the changes of all shards in shard order. Thread rule: one thread
// a rank; a collective.
#pragma once

#include "runtime/loop/accumulate/batch_memory.hpp"
#include "runtime/loop/plan/planning.hpp"
#include "runtime/loop/run/running_loop.hpp"

namespace stradsap::rt {

/// `batch`: iterations in a batch, 0 for all; a batch is cut into `shards`.
struct batch_shape {
  std::int64_t batch = 0;
  std::int64_t shards = 1;
  stradsap::merge::rule merge = stradsap::merge::sum;
};

/// Sums have one part for each shard of each batch. Throws error(errc::unsupported) if no written container
/// has values that the merge could fold.
[[nodiscard]] loop_result run_sync(const planning& p, const batch_shape& shape, batch_memory& kept);

}  // namespace stradsap::rt

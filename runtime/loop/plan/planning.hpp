// The input of planning: the same on all ranks but for the local services. Thread rule: one thread a rank.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/dds/copies.hpp"
#include "runtime/loop/access/stretches.hpp"
#include "runtime/loop/launch/executor_pool.hpp"
#include "runtime/loop/launch/frame.hpp"
#include "runtime/loop/plan/plan.hpp"
#include "runtime/net/exchange.hpp"

namespace stradsap::rt {

/// The inputs of a planner on one rank.
struct planning {
  const loop_frame& frame;
  copy_service& copies;
  executor_pool& pool;
  exchange& ranks;
  plan_id id{};
  bool use_plan_layout = false;         // aligned elements may leave the canonical layout: the plan is kept
  bool hash_sets = false;               // for statistics
  bool program_order = false;           // conflicting iterations keep program order
  bool simulated = false;               // record a trace for the simulation
  std::vector<std::uint64_t> shares{};  // for the placement of blocks, or of the parts of waves
  bool stays_waves = false;             // waves are chosen: by time, or by counts that cuts may have changed
  bool as_stretches = false;            // a sample of the iterations had stretches
  std::uint64_t iteration_work = 0;     // nanoseconds of an iteration, for waves; 0: not known
  const std::vector<stretch_run>* known_runs = nullptr;  // of all iterations, if one rank has looked at them
};

/// Per token: the bytes of its container.
[[nodiscard]] std::vector<std::uint64_t> token_weights(const loop_frame& f, const block_plan& p);

/// Adds up the counts of all ranks, one by one. A collective. Throws error(errc::decode) if a rank has
/// another number of counts.
[[nodiscard]] std::vector<std::uint64_t> sum_of_ranks(exchange& ranks, std::vector<std::uint64_t> mine);

}  // namespace stradsap::rt

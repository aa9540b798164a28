// Makes plans. All ranks run the same program: each inspects its share of the iterations, they exchange
// counts, and each computes the same blocks from the same counts. This is the reconnaissance of STRADS-AP
// with a distributed plan. Thread rule: one thread a rank; a collective.
#pragma once

#include "runtime/dds/copies.hpp"
#include "runtime/loop/executors.hpp"
#include "runtime/loop/frame.hpp"
#include "runtime/loop/plan.hpp"
#include "runtime/net/exchange.hpp"

namespace stradsap::rt {

/// The inputs of a planner on one rank.
struct planning {
  const loop_frame& frame;
  copy_service& copies;
  executors& lanes;
  exchange& ranks;
  plan_id id{};
  bool leave_home = false;              // aligned elements may leave the canonical layout: the plan is kept
  bool hash_sets = false;               // for statistics
  bool program_order = false;           // conflicting iterations keep program order
  bool simulated = false;               // record a trace for the simulation
  std::vector<std::uint64_t> shares{};  // for the placement of blocks, or of the parts of waves
  bool stays_waves = false;             // keep waves: cuts since the last plan could change the decision
};

/// The plan of an asynchronous loop. Cuts containers that have no cuts yet. Throws error(errc::out_of_range)
/// if the loop is longer than a container that it accesses by its index.
[[nodiscard]] plan make_plan(const planning& p);

/// Per token: the bytes of its container.
[[nodiscard]] std::vector<std::uint64_t> token_weights(const loop_frame& f, const block_plan& p);

/// The least number of iterations for a block of a loop of `n`. In short loops, short blocks give each
/// executor one. In long loops, long blocks cost less each, and consecutive iterations rarely touch one
/// element.
[[nodiscard]] std::uint64_t least_iterations(std::uint64_t n);

/// The number of groups for `n` iterations with `touches` touches each in a container of `elements`. A power
/// of two; it leaves on average least_iterations(n) to a block and 4 elements to a group.
[[nodiscard]] std::uint32_t number_of_groups(std::uint64_t n, double touches, std::uint64_t elements);

/// Cuts an uncut container into groups of about equal size.
void cut_evenly(container_store& store, std::uint32_t groups);

}  // namespace stradsap::rt

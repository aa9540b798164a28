// Makes plans. Planning is the same program on every rank: each looks at its own share of the iterations,
// they exchange counts, and every rank computes the same blocks from the same counts (STRADS-AP's
// reconnaissance, with the plan distributed as the data is). Thread rule: one thread a rank; a collective.
#pragma once

#include "runtime/dds/copies.hpp"
#include "runtime/loop/executors.hpp"
#include "runtime/loop/frame.hpp"
#include "runtime/loop/plan.hpp"
#include "runtime/net/exchange.hpp"

namespace stradsap::rt {

/// What a planner works with on one rank.
struct planning {
  const loop_frame& frame;
  copy_service& copies;
  executors& lanes;
  exchange& ranks;
  plan_id id{};
  bool leave_home = false;              // the plan will be kept: aligned elements need not be elsewhere too
  bool hash_sets = false;               // for statistics
  bool program_order = false;           // the order that the plan keeps is the program's
  bool simulated = false;               // what other numbers of ranks would do is wanted
  std::vector<std::uint64_t> shares{};  // by which blocks are placed, or parts of waves
  bool stays_waves = false;             // as the plan before: by what has been cut since, it might not
};

/// The plan of an asynchronous loop. Cuts containers that no plan has cut before. Throws error where the loop
/// runs past the end of a container that it takes by its index.
[[nodiscard]] plan make_plan(const planning& p);

/// The memory of the container behind each token.
[[nodiscard]] std::vector<std::uint64_t> token_weights(const loop_frame& f, const block_plan& p);

/// Iterations that a block of `n` should have. Where there are few, short blocks give every executor one;
/// where there are many, long ones: what a block costs counts less, and iterations that run one after the
/// other rarely touch one element.
[[nodiscard]] std::uint64_t least_iterations(std::uint64_t n);

/// Groups for `n` iterations that touch `touches` elements each in a container of `elements`: a power of two
/// that leaves to a block, on average, at least 64 iterations (1024 where there are many) and to a group 4
/// elements.
[[nodiscard]] std::uint32_t number_of_groups(std::uint64_t n, double touches, std::uint64_t elements);

/// Cuts an uncut container into groups of about equal size.
void cut_evenly(container_store& store, std::uint32_t groups);

}  // namespace stradsap::rt

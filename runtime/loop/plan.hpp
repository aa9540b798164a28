// What a planned loop does: its blocks, in one serial order, and where each runs. The blocks and their order
// are a function of data and seed; only the placement knows of ranks and executors. Thread rule: immutable
// while a launch runs.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/base/ids.hpp"
#include "runtime/dds/element_array.hpp"
#include "runtime/dds/plain_array.hpp"
#include "runtime/loop/touch.hpp"

namespace stradsap::rt {

struct wave_plan;

/// A group of a container that a loop writes: whoever holds it may touch its elements.
struct token_ref {
  std::uint32_t capture;
  std::uint32_t group;
};

/// Iterations that touch the same groups.
struct plan_block {
  std::uint32_t first_token = 0;  // into plan::block_tokens
  std::uint32_t num_tokens = 0;
  std::uint64_t count = 0;
  rank_id rank = 0;
  int lane = 0;                  // the executor of that rank
  std::uint64_t begin = 0;       // listed: first place in this rank's lists; else: first iteration
  std::uint32_t delta_lane = 0;  // where containers are accumulated: who adds for it
  std::uint32_t home = 0;        // its group of the heaviest container, which stays in one place

  [[nodiscard]] bool is_placed_with(const plan_block& other) const {
    return rank == other.rank && lane == other.lane;
  }
};

/// Iterations of one block that an executor runs at a stretch: all of it, or where iterations share nothing,
/// a part.
struct block_piece {
  std::uint32_t block = 0;
  int lane = 0;             // the executor that takes it if nobody helps
  std::uint64_t begin = 0;  // as of plan_block
  std::uint64_t count = 0;
};

/// Which element of `capture` the k-th iteration of a list touches. A capture that is touched more than once
/// has as many columns, in the order of touches.
struct touch_column {
  std::uint32_t capture = 0;
  std::uint32_t touch = 0;  // which one of an iteration's, in their order
  plain_array<std::uint32_t> elements;
};

/// Iterations in the order in which they run, and what is kept of each.
struct iteration_list {
  plain_array<std::uint32_t> numbers;
  std::vector<touch_column> columns;
  std::vector<element_array> streams;    // per capture: aligned elements
  std::vector<std::vector<touch>> sets;  // in check builds: what each iteration touches
};

/// Blocks and their order: what is the same on every number of ranks and threads, but for places.
struct block_plan {
  bool listed = false;  // iterations are listed, not ranges
  std::vector<token_ref> tokens;
  std::vector<std::uint32_t> block_tokens;
  std::vector<plan_block> blocks;           // canonical order: reductions fold in it
  std::vector<std::uint32_t> order;         // serial order of the first pass
  std::vector<std::uint32_t> round_begins;  // where in `order` a pass may begin
  std::uint32_t delta_lanes = 0;            // that add into accumulated containers

  [[nodiscard]] std::span<const std::uint32_t> tokens_of(const plan_block& b) const {
    return {block_tokens.data() + b.first_token, b.num_tokens};
  }
};

struct plan : block_plan {
  static constexpr rank_id nobody = -1;

  /// Iterations are listed, in blocks or in waves, with their aligned elements beside them.
  [[nodiscard]] bool lists_iterations() const { return listed || waves != nullptr; }

  iteration_list share;  // of this rank, when listed
  /// Per capture, where iterations are listed: so many elements side by side are one touch, by their first.
  std::vector<std::uint64_t> units;
  std::shared_ptr<const wave_plan> waves;  // in place of blocks, where iterations are planned one by one
  std::vector<rank_id> delta_ranks;        // who has each lane that adds, or nobody
  std::vector<block_piece> pieces;         // of this rank's blocks, where they have been cut by work
  std::vector<std::uint64_t> weights;      // by token: the memory behind its container
  std::vector<std::uint64_t> shares;       // by which blocks were placed
  std::uint64_t sets_hash = 0;  // of what the iterations that this rank inspected touch; the order is none
};

/// Blocks in the serial order of call number `pass`: the same cycle from another start, forth or back, so
/// that no iteration is always late and groups still travel little.
[[nodiscard]] std::vector<std::uint32_t> serial_order(const block_plan& p, std::uint64_t pass,
                                                      std::uint64_t seed);

/// The most iterations that run one after the other, since they share a group, a block or a lane that adds.
[[nodiscard]] std::uint64_t longest_queue(const plan& p);

/// How many of n iterations can run at a time.
[[nodiscard]] double parallelism_of(const plan& p, std::int64_t n);

struct block_place {
  rank_id rank = 0;
  int lane = 0;                  // of that rank
  std::uint32_t delta_lane = 0;  // where containers are accumulated
  std::uint32_t home = 0;        // the group that decided
};

/// A rank and an executor for each block: groups of the heaviest container stay in one place, in contiguous
/// runs of about equal work, and the others travel. `weights[t]` is the memory behind token t's container;
/// `shares[r]` is where rank r's share of the iterations ends; shares of other numbers of ranks or iterations
/// are none, and all are equal. Where there are delta lanes, blocks are dealt to these alike, on any workers,
/// and executors take whole ones.
[[nodiscard]] std::vector<block_place> places_of_blocks(const block_plan& p,
                                                        const std::vector<std::uint64_t>& weights, int ranks,
                                                        int lanes_per_rank,
                                                        const std::vector<std::uint64_t>& shares = {});

/// Gives the blocks their places, and keeps by what.
void place(plan& p, std::vector<std::uint64_t> weights, int ranks, int lanes_per_rank,
           std::vector<std::uint64_t> shares = {});

}  // namespace stradsap::rt

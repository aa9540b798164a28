// A plan: blocks, their serial order and their placement. Blocks and order depend on data and seed only; the
// placement also depends on ranks and executors. Thread rule: immutable while a launch runs.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/base/ids.hpp"
#include "runtime/dds/element_array.hpp"
#include "runtime/dds/plain_array.hpp"
#include "runtime/loop/access/hot_units.hpp"
#include "runtime/loop/access/touch.hpp"

namespace stradsap::rt {

struct wave_plan;
struct index_order;

/// A group of a container that the loop writes. Only the holder of its token may touch the group's elements.
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
  int executor = 0;                // the executor of that rank
  std::uint64_t begin = 0;         // listed: first place in this rank's lists; else: first iteration
  std::uint32_t accumulator = 0;   // its accumulator, if `num_accumulators` > 0
  std::uint32_t anchor_group = 0;  // its group of the heaviest container, which does not travel

  [[nodiscard]] bool is_placed_with(const plan_block& other) const {
    return rank == other.rank && executor == other.executor;
  }
};

/// Iterations of one block that an executor runs without a break: the whole block, or a part if iterations
/// share nothing.
struct block_piece {
  std::uint32_t block = 0;
  int executor = 0;         // the executor that takes it unless another one is idle
  std::uint64_t begin = 0;  // see plan_block
  std::uint64_t count = 0;
};

/// The element of `capture` that the k-th iteration of a list touches. A capture that each iteration touches
/// several times has as many columns, in the order of touches.
struct touch_column {
  std::uint32_t capture = 0;
  std::uint32_t touch = 0;  // position among the touches of an iteration
  plain_array<std::uint32_t> elements;
};

/// Iterations in the order in which they run, with data of each.
struct iteration_list {
  plain_array<std::uint32_t> numbers;
  std::vector<touch_column> columns;
  std::vector<element_array> streams;    // per capture: aligned elements
  std::vector<std::vector<touch>> sets;  // in check builds: the touches of each iteration
};

/// Blocks and their order. All but the places is the same for any number of ranks and threads.
struct block_plan {
  bool listed = false;  // iterations are listed, else ranges
  /// No two iterations touch a common element of a container that the loop writes. So blocks need no tokens,
  /// and reach all elements.
  bool is_disjoint = false;
  bool is_by_index = false;  // a block has all iterations of an executor, in the order of their index
  std::vector<token_ref> tokens;
  std::vector<std::uint32_t> block_tokens;
  std::vector<plan_block> blocks;           // in canonical order; reductions are folded in it
  std::vector<std::uint64_t> work;          // of each block; if empty, its iterations count
  std::vector<std::uint32_t> order;         // serial order of the first pass
  std::vector<std::uint32_t> round_begins;  // positions in `order` at which a pass may begin
  std::uint32_t num_accumulators = 0;       // accumulators: a power of two, or 0

  [[nodiscard]] std::span<const std::uint32_t> tokens_of(const plan_block& b) const {
    return {block_tokens.data() + b.first_token, b.num_tokens};
  }
};

struct plan : block_plan {
  static constexpr rank_id nobody = -1;

  /// Whether iterations are listed, in blocks or in waves, with their aligned elements beside them.
  [[nodiscard]] bool lists_iterations() const { return listed || waves != nullptr; }

  iteration_list share;  // this rank's iterations, when listed
  /// Per capture, if iterations are listed: the number of neighbouring elements that one touch stands for, by
  /// the first of them.
  std::vector<std::uint64_t> units;
  std::vector<hot_units> hot;              // per capture, or empty: elements that are in no block
  std::shared_ptr<const wave_plan> waves;  // replaces blocks if iterations are planned one by one
  std::shared_ptr<index_order> by_index;   // of kept blocks that share no group, or null
  std::vector<rank_id> accumulator_ranks;  // per accumulator: its rank, or `nobody`
  std::vector<block_piece> pieces;         // of this rank's blocks, if they are cut by work
  std::vector<std::uint64_t> weights;      // by token: bytes of its container
  std::vector<std::uint64_t> shares;       // ends of the ranks' shares that placed the blocks
  double seconds_compute = -1;             // of this rank's last launch; negative: none yet
  std::uint64_t sets_hash = 0;             // of the touches that this rank inspected, in any order
  std::uint64_t longest = 0;               // longest_queue(), if it has been counted
  std::size_t bytes = 0;                   // size_bytes_of(), if it has been counted
  std::shared_ptr<const plan> joined;      // see join_blocks(); may be null
};

/// The memory of a plan of ranges, without lists of iterations.
[[nodiscard]] std::size_t size_bytes_of(const block_plan& p);
/// The memory of a plan on this rank, without that of values which elements own.
[[nodiscard]] std::size_t size_bytes_of(const plan& p);

/// The blocks in the serial order of call number `pass`: the cycle from another start, forwards or backwards.
/// So no iteration is always late, and groups still travel little.
[[nodiscard]] std::vector<std::uint32_t> serial_order(const block_plan& p, std::uint64_t pass,
                                                      std::uint64_t seed);

/// Cuts the blocks of each accumulator, in their serial order, into `rounds` parts of about equal numbers of
/// iterations. A round has a part of each, so all accumulators take part. One after the other, the rounds are
/// another serial order. There are at most as many rounds as an accumulator has blocks on average.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> rounds_of(const block_plan& p,
                                                                const std::vector<std::uint32_t>& order,
                                                                std::uint64_t rounds);

/// The number of iterations in the longest sequence: a block, or all blocks of one group or accumulator.
[[nodiscard]] std::uint64_t longest_queue(const plan& p);

/// The number of the n iterations that can run at a time, on average.
[[nodiscard]] double parallelism_of(const plan& p, std::int64_t n);

struct block_place {
  rank_id rank = 0;
  int executor = 0;                // executor of that rank
  std::uint32_t accumulator = 0;   // accumulator, if the plan has any
  std::uint32_t anchor_group = 0;  // the group that decided
};

/// A rank and an executor for each block. Groups of the heaviest container are dealt out in contiguous runs
/// of about equal work and do not travel; the other groups do.
/// `weights[t]`: bytes of token t's container. `shares[r]`: the end of rank r's share of the iterations; if
/// they are of other numbers of ranks or iterations, all shares are equal. Accumulators get blocks by the
/// same rule, independent of workers; an executor takes whole accumulators.
[[nodiscard]] std::vector<block_place> places_of_blocks(const block_plan& p,
                                                        const std::vector<std::uint64_t>& weights, int ranks,
                                                        int executors_per_rank,
                                                        const std::vector<std::uint64_t>& shares = {});

/// Sets the places of the blocks, and stores `weights` and `shares` in the plan.
void place(plan& p, std::vector<std::uint64_t> weights, int ranks, int executors_per_rank,
           std::vector<std::uint64_t> shares = {});

}  // namespace stradsap::rt

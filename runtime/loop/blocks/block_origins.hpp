// Where the iterations of blocks are before they move, and where they go. A rank knows how many iterations of
// each block it has itself, and how many of its own blocks each rank has. So its tables have a number for
// each block, not one for each pair of a block and a rank. Thread rule: immutable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/loop/plan/plan.hpp"
#include "runtime/net/exchange.hpp"

namespace stradsap::rt {

/// Blocks by the rank that runs them.
struct block_destinations {
  explicit block_destinations(const std::vector<plan_block>& placed, int ranks);
  [[nodiscard]] std::span<const std::uint32_t> blocks_of(rank_id r) const {
    const auto i = static_cast<std::size_t>(r);
    return std::span(blocks).subspan(first[i], first[i + 1] - first[i]);
  }
  [[nodiscard]] int num_ranks() const { return static_cast<int>(first.size()) - 1; }

  std::vector<std::uint32_t> blocks;
  std::vector<std::size_t> first;  // by rank in `blocks`, and the end
};

class block_origins {
 public:
  /// `own[b]`: the iterations of block b that are here. A collective. Throws error(errc::decode) and
  /// rank_gave_up.
  block_origins(exchange& ranks, const block_destinations& to, std::vector<std::uint32_t> own);
  /// If the iterations of each block are on one rank.
  block_origins(rank_id self, const block_destinations& to, const std::vector<plan_block>& before);

  /// The iterations of each block that are here.
  [[nodiscard]] const std::vector<std::uint32_t>& own() const { return own_; }
  /// The iterations on rank r of each block of this rank, in the order of block_destinations::blocks_of.
  [[nodiscard]] const std::vector<std::uint32_t>& from(rank_id r) const {
    return from_[static_cast<std::size_t>(r)];
  }
  [[nodiscard]] std::size_t size_bytes() const;

 private:
  std::vector<std::uint32_t> own_;
  std::vector<std::vector<std::uint32_t>> from_;  // by rank
};

}  // namespace stradsap::rt

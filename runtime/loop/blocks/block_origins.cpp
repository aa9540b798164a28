#include "runtime/loop/blocks/block_origins.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <stradsap/error.hpp>

namespace stradsap::rt {

block_destinations::block_destinations(const std::vector<plan_block>& placed, int ranks)
    : blocks(placed.size()) {
  std::iota(blocks.begin(), blocks.end(), 0u);
  std::stable_sort(blocks.begin(), blocks.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return placed[a].rank < placed[b].rank; });
  for (rank_id r = 0; r <= ranks; ++r) {
    const auto at = std::partition_point(blocks.begin(), blocks.end(),
                                         [&](std::uint32_t b) { return placed[b].rank < r; });
    first.push_back(static_cast<std::size_t>(at - blocks.begin()));
  }
}

block_origins::block_origins(exchange& ranks, const block_destinations& to, std::vector<std::uint32_t> own)
    : own_(std::move(own)) {
  std::vector<bytes> sent(static_cast<std::size_t>(to.num_ranks()));
  for (rank_id r = 0; r < to.num_ranks(); ++r) {
    std::vector<std::uint32_t> counts;
    for (const std::uint32_t b : to.blocks_of(r)) counts.push_back(own_[b]);
    const auto raw = std::as_bytes(std::span(counts));
    sent[static_cast<std::size_t>(r)].assign(raw.begin(), raw.end());
  }
  const std::size_t expected = to.blocks_of(ranks.self()).size();
  for (const bytes& came : ranks.all_to_all(std::move(sent))) {
    if (came.size() != expected * sizeof(std::uint32_t))
      throw error(errc::decode, fmt::format("{} bytes of counts of {} blocks", came.size(), expected));
    from_.emplace_back(expected);
    if (expected != 0) std::memcpy(from_.back().data(), came.data(), came.size());
  }
}

block_origins::block_origins(rank_id self, const block_destinations& to,
                             const std::vector<plan_block>& before)
    : own_(before.size()), from_(static_cast<std::size_t>(to.num_ranks())) {
  for (std::size_t b = 0; b < before.size(); ++b) {
    if (before[b].rank == self) own_[b] = static_cast<std::uint32_t>(before[b].count);
  }
  const std::span<const std::uint32_t> mine = to.blocks_of(self);
  for (std::vector<std::uint32_t>& counts : from_) counts.resize(mine.size());
  for (std::size_t i = 0; i < mine.size(); ++i) {
    const plan_block& block = before[mine[i]];
    from_[static_cast<std::size_t>(block.rank)][i] = static_cast<std::uint32_t>(block.count);
  }
}

std::size_t block_origins::size_bytes() const {
  std::size_t numbers = own_.size();
  for (const std::vector<std::uint32_t>& counts : from_) numbers += counts.size();
  return numbers * sizeof(std::uint32_t);
}

}  // namespace stradsap::rt

#include "runtime/loop/blocks/range_planner.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "runtime/loop/plan/group_sizes.hpp"

namespace stradsap::rt {

// Short loops may have long iterations, unless these are straight. So many blocks take a few microseconds.
static constexpr std::uint64_t blocks_of_short_loops = 16;
// Of a straight body: an iteration takes less than a hundredth of the time to begin and end a block.
static constexpr std::uint64_t least_in_straight_block = 4096;

/// The number of groups for a container of `elements` that the loop writes at its index.
static std::uint32_t groups_to_write(const loop_frame& f, std::uint64_t elements) {
  const auto n = static_cast<std::uint64_t>(f.n);
  if ((f.entry->flags & abi::straight) != 0) return number_of_groups(n, 1, elements);
  constexpr std::uint64_t least_in_group = 4;  // of a group
  const std::uint64_t of_short_loops =
      std::min(std::min(n, elements) / least_in_group, blocks_of_short_loops);
  const auto groups = static_cast<std::uint32_t>(std::bit_floor(std::max<std::uint64_t>(1, of_short_loops)));
  return std::max(groups, number_of_groups(n, 1, elements));
}

/// The number of blocks of a short loop, from which bits follow. Those of one accumulator run one after the
/// other, so more would not run on more executors. Accumulators of maps follow from the number of executors.
static std::uint64_t blocks_to_add(const loop_frame& f) {
  if (f.num_accumulators == 0) return blocks_of_short_loops;
  for (std::size_t c = 0; c < f.num_captures(); ++c) {
    if (f.uses[c] == usage::accumulated && f.replicas[c]->keys() != nullptr) return blocks_of_short_loops;
  }
  return std::min<std::uint64_t>(f.num_accumulators, blocks_of_short_loops);
}

/// The ends of blocks between groups of no container, for a loop that only reads and folds.
static void cut_freely(const loop_frame& f, std::vector<std::uint64_t>& cuts) {
  const auto n = static_cast<std::uint64_t>(f.n);
  const std::uint64_t most = number_of_groups(n, 1, ~std::uint64_t{0});
  if ((f.entry->flags & abi::straight) != 0) {
    const std::uint64_t pieces = std::min(most, n / least_in_straight_block);
    for (std::uint64_t i = 1; i < pieces; ++i)
      cuts.push_back(n * i / pieces / abi::straight_stretch * abi::straight_stretch);
  } else {
    const std::uint64_t pieces = std::max(most, std::min(n, blocks_to_add(f)));
    for (std::uint64_t i = 1; i < pieces; ++i) cuts.push_back(n * i / pieces);
  }
}

void cut_at_index(const loop_frame& f) {
  for (std::size_t c = 0; c < f.num_captures(); ++c) {
    if (f.uses[c] == usage::aligned_write)
      cut_evenly(*f.replicas[c], groups_to_write(f, f.replicas[c]->size()));
  }
}

static plan cut_into_ranges(const loop_frame& f) {
  plan p;
  const auto n = static_cast<std::uint64_t>(f.n);
  std::vector<std::uint64_t> cuts{n};
  std::vector<std::size_t> written;
  cut_at_index(f);
  for (std::size_t c = 0; c < f.num_captures(); ++c) {
    if (f.uses[c] != usage::aligned_write) continue;
    written.push_back(c);
    for (const std::uint64_t bound : f.replicas[c]->groups().bounds()) cuts.push_back(std::min(n, bound));
  }
  if (written.empty()) cut_freely(f, cuts);
  if (f.has_bound()) {  // each accumulator has a block in each round
    const std::uint64_t pieces = std::min(n, f.num_rounds() * f.num_accumulators);
    for (std::uint64_t i = 1; i < pieces; ++i) cuts.push_back(n * i / pieces);
  }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());

  std::vector<std::uint32_t> first_token(f.num_captures());
  for (const std::size_t c : written) {
    first_token[c] = static_cast<std::uint32_t>(p.tokens.size());
    for (std::uint32_t g = 0; g < f.replicas[c]->groups().num_groups(); ++g) {
      p.tokens.push_back({static_cast<std::uint32_t>(c), g});
    }
  }
  std::uint64_t begin = 0;
  for (const std::uint64_t end : cuts) {
    if (begin == end) continue;
    plan_block b{static_cast<std::uint32_t>(p.block_tokens.size()), 0, end - begin, 0, 0, begin};
    for (const std::size_t c : written) {
      p.block_tokens.push_back(first_token[c] + f.replicas[c]->groups().group_of(begin));
      ++b.num_tokens;
    }
    p.order.push_back(static_cast<std::uint32_t>(p.blocks.size()));
    p.blocks.push_back(b);
    begin = end;
  }
  return p;
}

plan make_range_plan(const planning& in) {
  plan p = cut_into_ranges(in.frame);
  p.num_accumulators = in.frame.num_accumulators;
  place(p, token_weights(in.frame, p), in.ranks.world_size(), in.pool.size(), in.shares);
  return p;
}

}  // namespace stradsap::rt

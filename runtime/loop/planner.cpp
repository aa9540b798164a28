#include "runtime/loop/planner.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/loop/listed_planner.hpp"

namespace stradsap::rt {

std::uint64_t least_iterations(std::uint64_t n) { return std::clamp<std::uint64_t>(n / 256, 64, 1024); }
static constexpr std::uint64_t least_elements = 4;  // of a group
static constexpr std::uint32_t most_groups = 1024;

std::uint32_t number_of_groups(std::uint64_t n, double touches, std::uint64_t elements) {
  const double by_blocks =
      std::pow(static_cast<double>(n / least_iterations(n)), 1.0 / std::max(1.0, touches));
  std::uint32_t groups = 1;
  while (groups < most_groups && 2 * groups <= by_blocks && 2 * groups * least_elements <= elements)
    groups *= 2;
  return groups;
}

void cut_evenly(container_store& store, std::uint32_t groups) {
  if (!store.uncut() || groups < 2) return;
  std::vector<std::uint64_t> bounds;
  for (std::uint64_t g = 1; g <= groups; ++g) bounds.push_back(store.size() * g / groups);
  store.cut(partition(std::move(bounds), std::vector<rank_id>(groups, store.groups().owner(0))));
}

/// The plan of a loop without conflicts: ranges, cut at the group ends of written containers.
static plan plan_ranges(const loop_frame& f) {
  plan p;
  const auto n = static_cast<std::uint64_t>(f.n);
  std::vector<std::uint64_t> cuts{n};
  std::vector<std::size_t> written;
  for (std::size_t c = 0; c < f.num_captures(); ++c) {
    if (f.uses[c] != usage::aligned_write) continue;
    written.push_back(c);
    cut_evenly(*f.stores[c], number_of_groups(n, 1, f.stores[c]->size()));
    for (const std::uint64_t bound : f.stores[c]->groups().bounds()) cuts.push_back(std::min(n, bound));
  }
  if (written.empty()) {
    const std::uint64_t pieces = number_of_groups(n, 1, ~std::uint64_t{0});
    for (std::uint64_t i = 1; i < pieces; ++i) cuts.push_back(n * i / pieces);
  }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());

  std::vector<std::uint32_t> first_token(f.num_captures());
  for (const std::size_t c : written) {
    first_token[c] = static_cast<std::uint32_t>(p.tokens.size());
    for (std::uint32_t g = 0; g < f.stores[c]->groups().num_groups(); ++g) {
      p.tokens.push_back({static_cast<std::uint32_t>(c), g});
    }
  }
  std::uint64_t begin = 0;
  for (const std::uint64_t end : cuts) {
    if (begin == end) continue;
    plan_block b{static_cast<std::uint32_t>(p.block_tokens.size()), 0, end - begin, 0, 0, begin};
    for (const std::size_t c : written) {
      p.block_tokens.push_back(first_token[c] + f.stores[c]->groups().group_of(begin));
      ++b.num_tokens;
    }
    p.order.push_back(static_cast<std::uint32_t>(p.blocks.size()));
    p.blocks.push_back(b);
    begin = end;
  }
  return p;
}

static void check_reach(const loop_frame& f) {
  for (std::size_t c = 0; c < f.num_captures(); ++c) {
    const bool aligned = f.uses[c] == usage::aligned_read || f.uses[c] == usage::aligned_write;
    if (aligned && static_cast<std::uint64_t>(f.n) > f.stores[c]->size()) {
      throw error(
          errc::out_of_range,
          fmt::format("{}: the loop has {} iterations and indexes `{}`, which has {} elements, by them",
                      f.site, f.n, f.name_of(c), f.stores[c]->size()));
    }
  }
}

plan make_plan(const planning& in) {
  const loop_frame& f = in.frame;
  check_reach(f);
  if (f.has(usage::owned)) return make_listed_plan(in);
  plan p = plan_ranges(f);
  p.delta_lanes = f.delta_lanes;
  place(p, token_weights(f, p), in.ranks.world_size(), in.lanes.lanes(), in.shares);
  return p;
}

std::vector<std::uint64_t> token_weights(const loop_frame& f, const block_plan& p) {
  std::vector<std::uint64_t> weights;
  for (const token_ref& t : p.tokens) {
    weights.push_back(f.stores[t.capture]->size() * f.stores[t.capture]->ops().size);
  }
  return weights;
}

}  // namespace stradsap::rt

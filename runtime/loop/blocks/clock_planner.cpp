#include "runtime/loop/blocks/clock_planner.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace stradsap::rt {

namespace {
/// The ends of the accumulators, in iterations.
using accumulator_ends = std::array<std::uint64_t, relaxed_accumulators>;
}  // namespace

/// Without products that may not fit.
static accumulator_ends ends_of(std::int64_t iterations) {
  const auto n = static_cast<std::uint64_t>(iterations);
  constexpr std::uint64_t all = relaxed_accumulators;
  accumulator_ends ends;
  for (std::uint64_t a = 0; a < all; ++a) ends[a] = n / all * (a + 1) + n % all * (a + 1) / all;
  return ends;
}

static std::vector<std::size_t> written_at_index(const loop_frame& f) {
  std::vector<std::size_t> written;
  for (std::size_t c = 0; c < f.num_captures(); ++c) {
    if (f.uses[c] == usage::aligned_write) written.push_back(c);
  }
  return written;
}

static void cut_by_accumulators(replica& local, const accumulator_ends& ends) {
  if (!local.uncut()) return;
  std::vector<std::uint64_t> bounds;
  for (const std::uint64_t end : ends) {
    if (end > (bounds.empty() ? 0 : bounds.back()) && end < local.size()) bounds.push_back(end);
  }
  bounds.push_back(local.size());
  std::vector<rank_id> owners(bounds.size(), local.groups().owner(0));
  local.cut(partition(std::move(bounds), std::move(owners)));
}

/// Whether a group has elements on both sides of the end of an accumulator.
static bool crosses(const partition& groups, std::uint64_t end) {
  return end > 0 && end < groups.size() && groups.group_of(end - 1) == groups.group_of(end);
}

/// Accumulators that share a group have one rank, so no group travels between calls.
static std::vector<rank_id> ranks_of(const loop_frame& f, const std::vector<std::size_t>& written,
                                     const accumulator_ends& ends, int ranks) {
  std::vector<rank_id> found(relaxed_accumulators, plan::nobody);
  rank_id before = plan::nobody;
  for (std::uint32_t a = 0; a < relaxed_accumulators; ++a) {
    const std::uint64_t begin = a == 0 ? 0 : ends[a - 1];
    if (begin == ends[a]) continue;
    const bool shares = before != plan::nobody &&
                        std::any_of(written.begin(), written.end(),
                                    [&](std::size_t c) { return crosses(f.replicas[c]->groups(), begin); });
    const auto share = static_cast<rank_id>(a * static_cast<std::uint64_t>(ranks) / relaxed_accumulators);
    found[a] = before = shares ? before : share;
  }
  return found;
}

/// By accumulator: an executor of its rank. Each has contiguous accumulators.
static std::vector<int> executors_of(const std::vector<rank_id>& ranks, int executors) {
  std::vector<int> found;
  for (std::size_t a = 0; a < ranks.size(); ++a) {
    const auto all = std::count(ranks.begin(), ranks.end(), ranks[a]);
    const auto before = std::count(ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(a), ranks[a]);
    found.push_back(static_cast<int>(before * executors / all));
  }
  return found;
}

/// The ends of blocks: of accumulators, and of the groups of containers that the loop writes at its index.
static std::vector<std::uint64_t> cuts_of(const loop_frame& f, const std::vector<std::size_t>& written,
                                          const accumulator_ends& ends) {
  std::vector<std::uint64_t> cuts(ends.begin(), ends.end());
  for (const std::size_t c : written) {
    for (const std::uint64_t bound : f.replicas[c]->groups().bounds())
      cuts.push_back(std::min(static_cast<std::uint64_t>(f.n), bound));
  }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  return cuts;
}

static std::vector<std::uint32_t> add_tokens(const loop_frame& f, const std::vector<std::size_t>& written,
                                             plan& p) {
  std::vector<std::uint32_t> first_token(f.num_captures());
  for (const std::size_t c : written) {
    first_token[c] = static_cast<std::uint32_t>(p.tokens.size());
    for (std::uint32_t g = 0; g < f.replicas[c]->groups().num_groups(); ++g)
      p.tokens.push_back({static_cast<std::uint32_t>(c), g});
  }
  return first_token;
}

plan make_clock_plan(const planning& in) {
  const loop_frame& f = in.frame;
  check_reach(f);
  const accumulator_ends ends = ends_of(f.n);
  const std::vector<std::size_t> written = written_at_index(f);
  for (const std::size_t c : written) cut_by_accumulators(*f.replicas[c], ends);
  plan p;
  p.num_accumulators = relaxed_accumulators;
  p.accumulator_ranks = ranks_of(f, written, ends, in.ranks.world_size());
  const std::vector<int> executors = executors_of(p.accumulator_ranks, in.pool.size());
  const std::vector<std::uint32_t> first_token = add_tokens(f, written, p);
  std::uint64_t begin = 0;
  for (const std::uint64_t end : cuts_of(f, written, ends)) {
    if (begin == end) continue;
    const auto accumulator =
        static_cast<std::uint32_t>(std::upper_bound(ends.begin(), ends.end(), begin) - ends.begin());
    plan_block b{static_cast<std::uint32_t>(p.block_tokens.size()),
                 0,
                 end - begin,
                 p.accumulator_ranks[accumulator],
                 executors[accumulator],
                 begin,
                 accumulator};
    for (const std::size_t c : written) {
      p.block_tokens.push_back(first_token[c] + f.replicas[c]->groups().group_of(begin));
      ++b.num_tokens;
    }
    p.order.push_back(static_cast<std::uint32_t>(p.blocks.size()));
    p.blocks.push_back(b);
    begin = end;
  }
  p.weights = token_weights(f, p);
  return p;
}

}  // namespace stradsap::rt

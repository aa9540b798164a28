#include "runtime/observe/plan_flow.hpp"

#include <utility>

#include "runtime/loop/plan/wave_plan.hpp"

namespace stradsap::rt {

placed_flow flow_of_blocks(const launch_sample& sample, const std::vector<block_place>& places,
                           const simulated_holdings& holdings, bool packing_is_free) {
  constexpr std::uint32_t none = flow_edge::from_start;
  const block_plan& p = sample.plan->blocks;
  placed_flow made;
  made.last_rank.assign(p.tokens.size(), -1);
  std::vector<std::uint32_t> last_task(p.tokens.size(), none);
  for (const std::uint32_t b : serial_order(p, sample.pass, sample.seed)) {
    const auto task = static_cast<std::uint32_t>(made.tasks.tasks.size());
    made.tasks.tasks.push_back({sample.plan->block_seconds[b], places[b].rank, places[b].executor});
    for (const std::uint32_t t : p.tokens_of(p.blocks[b])) {
      const token_ref& ref = p.tokens[t];
      const sampled_container& c = sample.containers[ref.capture];
      const double size = c.bytes_of(ref.group);
      made.tasks.edges.push_back({last_task[t], task, holdings.at(c.id).owners[ref.group],
                                  static_cast<std::uint64_t>(size),
                                  packing_is_free ? 0 : size * c.seconds_per_byte});
      last_task[t] = task;
      made.last_rank[t] = places[b].rank;
    }
  }
  return made;
}

flow flow_of_waves(const launch_sample& sample, const simulated_cluster& on) {
  // An executor that waits for another sees its end after this time: two transfers of a cache line.
  constexpr double seconds_hand_over = 2e-7;
  const wave_trace& w = *sample.plan->waves;
  const int ranks = ranks_for_waves(w.work_of_level, on.ranks);
  flow f;
  f.seconds_hand_over = seconds_hand_over;
  const double seconds_of_touch =
      w.touches == 0 ? 0 : sample.plan->compute_seconds / static_cast<double>(w.touches);
  for (const wave_cell& cell : w.cells) {
    const wave_place at = place_of_part(cell.part, sample.plan->blocks.num_accumulators, ranks,
                                        static_cast<std::uint32_t>(on.threads));
    f.tasks.push_back({cell.touches * seconds_of_touch, at.rank, static_cast<int>(at.thread)});
  }
  for (const wave_link& l : w.links) f.edges.push_back({l.from, l.to, 0, l.size_bytes, 0});
  return f;
}

}  // namespace stradsap::rt

#include "runtime/cluster/load_balancer.hpp"

#include "runtime/loop/plan/wave_plan.hpp"

namespace stradsap::rt {

/// Loops that list iterations, or run in batches, have shares of their own. All other loops of one length
/// have the same shares.
static std::uint64_t balance_key(const resolved_request& r) {
  if (r.lists_iterations) return static_cast<std::uint64_t>(r.plan);
  return abi::hash_bytes(&r.call.n, sizeof r.call.n);
}

/// Clocking an iteration of waves costs some nanoseconds, so it happens only if a wave thread is late.
void load_balancer::prepare(const resolved_request& r, launch& l) const {
  const auto found = balances_.find(balance_key(r));
  if (found == balances_.end()) return;
  l.share_ends = found->second.shares();
  l.times_parts = found->second.is_late();
}

share_balance& load_balancer::balance_for(std::uint64_t key, std::uint64_t n, int ranks,
                                          int executors_per_rank) {
  constexpr std::size_t most_balances = 256;
  if (balances_.size() > most_balances) balances_.clear();
  const auto found = balances_.find(key);
  if (found != balances_.end() && !found->second.is_of(n, ranks)) balances_.erase(found);
  return balances_.try_emplace(key, n, ranks, executors_per_rank).first->second;
}

void load_balancer::completed(const resolved_request& r, const launch& l, const std::vector<done>& parts,
                              const plan* made, double seconds_plan) {
  if (made == nullptr) return balance_shards(l, parts);
  if (l.replan) return;
  if (made->waves == nullptr && l.first != 0) return;  // a part of the loop ran elsewhere
  if (made->waves != nullptr) return balance_waves(*made, l, parts, seconds_plan);
  balance_blocks(r, parts, *made);
}

void load_balancer::forget(const std::vector<plan_id>& plans) {
  for (const plan_id id : plans) balances_.erase(static_cast<std::uint64_t>(id));
}

void load_balancer::balance_blocks(const resolved_request& r, const std::vector<done>& parts, const plan& p) {
  if (parts.size() == 1) return;
  std::vector<rank_load> loads;
  std::vector<float> seconds(p.blocks.size());
  for (const done& d : parts) {
    loads.push_back({d.work.iterations, d.work.seconds_compute});
    for (std::size_t i = 0; i < d.seconds.size(); ++i) seconds.at(d.blocks.at(i)) += d.seconds[i];
  }
  balance_for(balance_key(r), static_cast<std::uint64_t>(r.call.n), ranks_, threads_).note(p, loads, seconds);
}

/// Wave threads have contiguous parts; parts of one accumulator stay together. Any move costs a new plan.
/// With several ranks, a move also makes more elements cross between them at each level, so only a very late
/// thread gives up parts.
void load_balancer::balance_waves(const plan& p, const launch& l, const std::vector<done>& parts,
                                  double seconds_plan) {
  const wave_plan& waves = *p.waves;
  if (waves.executors < 2 || simulates_) return;
  const auto threads = static_cast<std::uint32_t>(threads_);
  std::vector<int> executors;
  for (std::uint32_t part = 0; part < num_wave_parts; ++part) {
    const std::uint32_t executor =
        static_cast<std::uint32_t>(waves.rank_of_part[part]) * threads + waves.thread_of_part[part];
    executors.resize(run_of_part(part, p.num_accumulators) + 1, static_cast<int>(executor));
  }
  std::vector<float> seconds(executors.size());
  for (const done& d : parts) {
    for (std::size_t i = 0; i < d.seconds.size(); ++i)
      seconds.at(run_of_part(d.blocks.at(i), p.num_accumulators)) += d.seconds[i];
  }
  const int ranks = static_cast<int>(waves.executors);
  balance_for(static_cast<std::uint64_t>(l.plan), executors.size(), ranks, 1)
      .note(executors, seconds, l.times_parts,
            {.cost = seconds_plan, .least_excess = waves.executors > threads ? 0.5 : 0.1});
}

/// Ranks have contiguous shards of each batch, and keep no data for them between launches.
void load_balancer::balance_shards(const launch& l, const std::vector<done>& parts) {
  if (parts.size() == 1) return;
  const auto shards = static_cast<std::size_t>(l.shards);
  std::vector<int> ranks(shards);
  std::vector<float> seconds(shards);
  for (std::size_t r = 0; r < parts.size(); ++r) {
    const done& d = parts[r];
    for (std::size_t i = 0; i < d.seconds.size(); ++i) {
      const std::size_t shard = d.blocks.at(i) % shards;
      ranks[shard] = static_cast<int>(r);
      seconds[shard] += d.seconds[i];
    }
  }
  balance_for(static_cast<std::uint64_t>(l.plan), shards, ranks_, threads_)
      .note(ranks, seconds, /*each_timed=*/true);
}

}  // namespace stradsap::rt

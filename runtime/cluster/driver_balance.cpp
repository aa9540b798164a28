// The shares of ranks, or of wave threads. The times of a launch go to the loop's share_balance, and the next
// launch carries the new shares. Thread rule: main thread.
#include <algorithm>

#include "runtime/cluster/driver.hpp"
#include "runtime/loop/plan/wave_plan.hpp"

namespace stradsap::rt {

/// Loops that list iterations, or run in batches, have shares of their own. All other loops of one length
/// have the same shares.
static std::uint64_t balance_key(const launch_request& r, plan_id plan) {
  if (lists_iterations(r)) return static_cast<std::uint64_t>(plan);
  return abi::hash_bytes(&r.n, sizeof r.n);
}

/// Clocking an iteration of waves costs some nanoseconds, so it happens only if a wave thread is late.
void driver::set_shares(const launch_request& r, launch& l) const {
  const auto found = balances_.find(balance_key(r, l.plan));
  if (found == balances_.end()) return;
  l.share_ends = found->second.shares();
  l.times_parts = found->second.is_late();
}

/// Whether only the shares require a new plan. Steps belong to wave threads, and no plan keeps the iterations
/// of other ranks, so other shares need a wave plan made from the start.
bool driver::is_repartitioned(plan_id plan, const std::vector<std::uint64_t>& shares) const {
  const rt::plan* p = plan_of(plan);
  return p != nullptr && p->waves != nullptr && p->shares != shares;
}

share_balance& driver::balance_for(std::uint64_t key, std::uint64_t n, int ranks, int executors_per_rank) {
  constexpr std::size_t most_balances = 256;
  if (balances_.size() > most_balances) balances_.clear();
  const auto found = balances_.find(key);
  if (found != balances_.end() && !found->second.is_of(n, ranks)) balances_.erase(found);
  return balances_.try_emplace(key, n, ranks, executors_per_rank).first->second;
}

/// Passes the times of the launch to the shares of the next one.
void driver::balance(const launch_request& r, const launch& l, const std::vector<done>& parts) {
  const plan* p = plan_of(l.plan);
  if (p == nullptr) return balance_shards(l, parts);
  if (l.replan) return;
  if (p->waves != nullptr) return balance_waves(*p, l, parts);
  if (parts.size() == 1) return;
  std::vector<rank_load> loads;
  std::vector<float> seconds(p->blocks.size());
  for (const done& d : parts) {
    loads.push_back({d.work.iterations, d.work.seconds_compute});
    for (std::size_t i = 0; i < d.seconds.size(); ++i) seconds.at(d.blocks.at(i)) += d.seconds[i];
  }
  balance_for(balance_key(r, l.plan), static_cast<std::uint64_t>(r.n), settings().world_size,
              settings().threads)
      .note(*p, loads, seconds);
}

/// Wave threads have contiguous parts; parts of one accumulator stay together. Any move costs a new plan.
/// With several ranks, a move also makes more elements cross between them at each level, so only a very late
/// thread gives up parts.
void driver::balance_waves(const plan& p, const launch& l, const std::vector<done>& parts) {
  const wave_plan& waves = *p.waves;
  if (waves.executors < 2 || settings().simulate) return;
  const auto threads = static_cast<std::uint32_t>(settings().threads);
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
            {.cost = kept_[l.plan].seconds_plan, .least_excess = waves.executors > threads ? 0.5 : 0.1});
}

/// Ranks have contiguous shards of each batch, and keep no data for them between launches.
void driver::balance_shards(const launch& l, const std::vector<done>& parts) {
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
  balance_for(static_cast<std::uint64_t>(l.plan), shards, settings().world_size, settings().threads)
      .note(ranks, seconds, /*each_timed=*/true);
}

}  // namespace stradsap::rt

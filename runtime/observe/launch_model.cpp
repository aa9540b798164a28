#include "runtime/observe/launch_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "runtime/loop/plan/wave_plan.hpp"
#include "runtime/observe/plan_flow.hpp"

namespace stradsap::rt {
namespace {

/// The bytes that each rank sends and receives in one collective step.
struct traffic {
  explicit traffic(int ranks) : out(static_cast<std::size_t>(ranks)), in(out) {}
  void add(rank_id from, rank_id to, double bytes) {
    if (from == to) return;
    out[static_cast<std::size_t>(from)] += bytes;
    in[static_cast<std::size_t>(to)] += bytes;
  }
  std::vector<double> out;
  std::vector<double> in;
};

double highest(const std::vector<double>& values) { return *std::max_element(values.begin(), values.end()); }
double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

class launch_model {
 public:
  launch_model(const launch_sample& sample, const simulated_cluster& on, simulated_holdings& holdings)
      : s_(sample), on_(on), holdings_(holdings), fetched_(static_cast<std::size_t>(on.ranks)) {}

  launch_outcome run() {
    meet_containers();
    if (!s_.why_alone.empty()) return run_alone();
    call_ranks();
    if (s_.plan == nullptr) {
      run_batches();
    } else if (s_.plan->waves != nullptr) {
      run_waves();
    } else {
      run_blocks();
    }
    for (const sampled_container& c : s_.containers) {
      if (is_written(c)) holdings_.at(c.id).is_copied = holdings_.at(c.id).is_spread = false;
    }
    if (s_.plan != nullptr) o_.seconds_around = s_.plan->seconds_around;
    o_.seconds += o_.seconds_around;
    return o_;
  }

 private:
  [[nodiscard]] static bool is_written(const sampled_container& c) {
    return c.use == usage::aligned_write || c.use == usage::owned || c.use == usage::accumulated;
  }
  [[nodiscard]] bool packing_is_free() const { return std::isinf(on_.bytes_per_second); }
  [[nodiscard]] double ranks() const { return on_.ranks; }

  /// Elements that main has changed, or that no launch has used yet, are with the driver.
  void meet_containers() {
    for (const sampled_container& c : s_.containers) {
      if (c.id == container_id::none) continue;
      simulated_holding& h = holdings_[c.id];
      if (!c.is_changed && h.owners.size() == c.group_ends.size()) continue;
      h = {std::vector<rank_id>(c.group_ends.size(), driver_rank)};
    }
  }

  launch_outcome run_alone() {
    for (const sampled_container& c : s_.containers) {
      if (c.id == container_id::none) continue;
      traffic returned(on_.ranks);
      simulated_holding& h = holdings_.at(c.id);
      for (std::size_t g = 0; g < h.owners.size(); ++g) returned.add(h.owners[g], driver_rank, c.bytes_of(g));
      exchange(returned, c.seconds_per_byte);
      if (!is_written(c)) continue;
      h = {std::vector<rank_id>(h.owners.size(), driver_rank)};
    }
    o_.seconds += s_.seconds_alone;
    o_.seconds_work = o_.seconds_busiest = o_.seconds_chain = o_.seconds_longest = s_.seconds_alone;
    o_.tasks = 1;
    return o_;
  }

  /// The driver sends the launch to all ranks, and each returns a message.
  void call_ranks() {
    if (on_.ranks == 1) return;
    const auto size = static_cast<double>(s_.value_bytes);
    o_.seconds += 2 * on_.latency_seconds + (ranks() - 1) * size / on_.bytes_per_second;
    o_.seconds += (ranks() - 1) * (on_.processor_seconds(size) + on_.processor_seconds(0));
    o_.messages += 2 * (ranks() - 1);
  }

  /// Each two ranks with data for each other exchange one message, packed and unpacked.
  void exchange(const traffic& t, double seconds_per_byte) {
    const double most = std::max(highest(t.out), highest(t.in));
    if (most == 0) return;
    o_.seconds += on_.latency_seconds + most / on_.bytes_per_second;
    const double both = highest(t.out) + highest(t.in);
    if (!packing_is_free()) o_.seconds += both * seconds_per_byte;
    o_.seconds += 2 * (ranks() - 1) * on_.message_seconds + both * on_.byte_seconds;
    o_.bytes_moved += sum(t.out);
    o_.messages +=
        static_cast<double>(std::count_if(t.out.begin(), t.out.end(), [](double b) { return b > 0; }));
  }

  // ---- data that blocks read ----

  [[nodiscard]] std::vector<double> owned_bytes(const sampled_container& c) const {
    const auto& owners = holdings_.at(c.id).owners;
    std::vector<double> owned(static_cast<std::size_t>(on_.ranks));
    for (std::size_t g = 0; g < owners.size(); ++g)
      owned[static_cast<std::size_t>(owners[g])] += c.bytes_of(g);
    return owned;
  }

  void fetch(const sampled_container& c) {
    simulated_holding& h = holdings_.at(c.id);
    if (h.is_copied) return;
    const std::vector<double> owned = owned_bytes(c);
    traffic t(on_.ranks);
    for (std::size_t r = 0; r < owned.size(); ++r) {
      t.out[r] = owned[r] * (ranks() - 1);
      t.in[r] = c.bytes() - owned[r];
    }
    if (highest(t.in) > 0) o_.seconds += on_.latency_seconds;  // for the request; the reply is the exchange
    exchange(t, c.seconds_per_byte);
    h.is_copied = true;
  }

  /// Each rank fetches the groups of its ranges, block by block.
  void fetch_ranges(const sampled_container& c, const std::vector<block_place>& places) {
    simulated_holding& h = holdings_.at(c.id);
    if (h.is_copied || h.is_spread) return;
    traffic t(on_.ranks);
    std::vector<double> requests(static_cast<std::size_t>(on_.ranks));
    std::vector<std::int64_t> seen(requests.size(), -1);  // groups come in order
    const block_plan& p = s_.plan->blocks;
    for (std::size_t b = 0; b < p.blocks.size(); ++b) {
      const auto r = static_cast<std::size_t>(places[b].rank);
      const auto first = std::upper_bound(c.group_ends.begin(), c.group_ends.end(), p.blocks[b].begin);
      bool asks = false;
      for (auto g = first - c.group_ends.begin(); static_cast<std::size_t>(g) < c.group_ends.size(); ++g) {
        const auto group = static_cast<std::size_t>(g);
        if (c.group_ends[group] - c.count(group) >= p.blocks[b].begin + p.blocks[b].count) break;
        if (g <= seen[r]) continue;
        seen[r] = g;
        asks = asks || h.owners[group] != places[b].rank;
        t.add(h.owners[group], places[b].rank, c.bytes_of(group));
        o_.rank_bytes = std::max(o_.rank_bytes, fetched_[r] += c.bytes_of(group));
      }
      requests[r] += asks ? 1 : 0;
    }
    o_.seconds += highest(requests) * 2 * (on_.latency_seconds + on_.message_seconds);
    if (highest(requests) > 0) o_.seconds -= on_.latency_seconds;  // part of the exchange
    exchange(t, c.seconds_per_byte);
    h.is_spread = true;
  }

  // ---- blocks ----

  void run_blocks() {
    const sampled_plan& plan = *s_.plan;
    const std::vector<block_place> places =
        places_of_blocks(plan.blocks, plan.weights, on_.ranks, on_.threads);
    for (const sampled_container& c : s_.containers) {
      if (c.use == usage::read) fetch(c);
      if (c.use == usage::aligned_read && !plan.blocks.listed) fetch_ranges(c, places);
    }
    const placed_flow made = flow_of_blocks(s_, places, holdings_, packing_is_free());
    take(made.tasks);
    settle(made);
    note_hottest();
    gather_sums(static_cast<double>(plan.blocks.blocks.size()));
    if (plan.blocks.listed) return_aligned();
    o_.rank_bytes = fullest_rank(places);
  }

  void take(const flow& f) {
    const flow_outcome done = simulate(f, on_);
    o_.seconds += done.seconds;
    o_.seconds_busiest = done.seconds_busiest;
    o_.seconds_chain = longest_chain(f);
    o_.threads_used = done.threads_used;
    o_.bytes_moved += static_cast<double>(done.bytes_moved);
    o_.messages += static_cast<double>(done.messages);
    o_.tasks = f.tasks.size();
    for (const flow_task& task : f.tasks) {
      o_.seconds_work += task.seconds;
      o_.seconds_longest = std::max(o_.seconds_longest, task.seconds);
    }
  }

  void settle(const placed_flow& made) {
    const block_plan& p = s_.plan->blocks;
    for (std::size_t t = 0; t < p.tokens.size(); ++t) {
      const container_id id = s_.containers[p.tokens[t].capture].id;
      if (made.last_rank[t] >= 0) holdings_.at(id).owners[p.tokens[t].group] = made.last_rank[t];
    }
  }

  void note_hottest() {
    const sampled_plan& plan = *s_.plan;
    std::vector<double> use(plan.blocks.tokens.size());
    std::uint64_t heaviest = 0;
    for (std::size_t b = 0; b < plan.blocks.blocks.size(); ++b) {
      for (const std::uint32_t t : plan.blocks.tokens_of(plan.blocks.blocks[b]))
        use[t] += plan.block_seconds[b];
    }
    for (std::size_t t = 0; t < use.size(); ++t) {
      const std::string& name = s_.containers[plan.blocks.tokens[t].capture].name;
      if (use[t] > o_.seconds_hottest) {
        o_.seconds_hottest = use[t];
        o_.hottest = name;
      }
      if (plan.weights[t] <= heaviest) continue;
      heaviest = plan.weights[t];
      o_.anchor = name;
      o_.anchor_groups = s_.containers[plan.blocks.tokens[t].capture].group_ends.size();
    }
  }

  void gather_sums(double parts) {
    if (on_.ranks == 1) return;
    const double bytes =
        parts * static_cast<double>(s_.partial_bytes + sizeof(std::uint32_t)) * (1 - 1 / ranks());
    o_.seconds += bytes / on_.bytes_per_second + bytes * on_.byte_seconds;
    o_.bytes_moved += bytes;
  }

  /// Aligned elements return to the canonical layout after each launch.
  void return_aligned() {
    for (const sampled_container& c : s_.containers) {
      if (c.use != usage::aligned_write || on_.ranks == 1) continue;
      const double with_number = 1 + sizeof(std::uint64_t) / c.element_bytes;
      const std::vector<double> owned = owned_bytes(c);
      traffic t(on_.ranks);
      for (std::size_t r = 0; r < owned.size(); ++r) {
        t.in[r] = owned[r] * with_number * (1 - 1 / ranks());
        t.out[r] = (c.bytes() - owned[r]) * with_number / ranks();
      }
      exchange(t, c.seconds_per_byte);
    }
  }

  /// Bytes of groups, copies and lists, after the launch.
  [[nodiscard]] double fullest_rank(const std::vector<block_place>& places) const {
    std::vector<double> held = fetched_;
    for (const sampled_container& c : s_.containers) {
      if (c.use == usage::read) {
        for (double& bytes : held) bytes += c.bytes();
      }
      if (!is_written(c)) continue;
      const auto& owners = holdings_.at(c.id).owners;
      for (std::size_t g = 0; g < owners.size(); ++g)
        held[static_cast<std::size_t>(owners[g])] += c.bytes_of(g);
    }
    const auto& blocks = s_.plan->blocks.blocks;
    for (std::size_t b = 0; b < blocks.size(); ++b)
      held[static_cast<std::size_t>(places[b].rank)] +=
          static_cast<double>(blocks[b].count) * s_.plan->iteration_bytes;
    return highest(held);
  }

  // ---- waves ----

  /// Elements go to the ranks of their first users, and return from those of their last users. This counts
  /// elements with first and last parts on different ranks.
  void run_waves() {
    for (const sampled_container& c : s_.containers) {
      if (c.use == usage::read) fetch(c);
    }
    const flow f = flow_of_waves(s_, on_);
    take(f);
    gather_sums(num_wave_parts);
    const int ranks = ranks_for_waves(s_.plan->waves->work_of_level, on_.ranks);
    traffic t(on_.ranks);
    for (const auto& [parts, bytes] : s_.plan->waves->ends) {
      const auto rank_of = [&](std::uint32_t part) {
        return place_of_part(part, s_.plan->blocks.num_accumulators, ranks,
                             static_cast<std::uint32_t>(on_.threads))
            .rank;
      };
      t.add(rank_of(parts.second), rank_of(parts.first), static_cast<double>(bytes));
    }
    exchange(t, 0);
  }

  // ---- batches ----

  void run_batches() {
    for (const sampled_container& c : s_.containers) {
      if (!is_written(c) && c.id != container_id::none) fetch(c);
    }
    for (const batch_cost& batch : s_.batches) run_batch(batch);
    const auto shards = static_cast<double>(s_.batches.empty() ? 0 : s_.batches[0].shard_seconds.size());
    gather_sums(shards * static_cast<double>(s_.batches.size()));
  }

  /// Shards of a rank are dealt to its executors in turn. Then changes go to their owners, which fold them.
  void run_batch(const batch_cost& batch) {
    const auto shards = static_cast<std::int64_t>(batch.shard_seconds.size());
    const std::int64_t taking = std::min<std::int64_t>(shards, on_.ranks);
    double slowest = 0;
    double most_changed = 0;
    for (rank_id r = 0; r < on_.ranks; ++r) {
      const std::int64_t first = shards * r / on_.ranks;
      const std::int64_t last = shards * (r + 1) / on_.ranks;
      std::vector<double> threads(
          static_cast<std::size_t>(std::clamp<std::int64_t>(last - first, 1, on_.threads)));
      double changed = 0;
      for (std::int64_t s = first; s < last; ++s) {
        const auto i = static_cast<std::size_t>(s);
        threads[static_cast<std::size_t>(s - first) % threads.size()] +=
            batch.shard_seconds[i] + seconds_fetching(batch, i);
        changed += static_cast<double>(batch.shard_bytes[i]) * (1 - 1 / ranks());
      }
      slowest = std::max(slowest, highest(threads));
      most_changed = std::max(most_changed, changed);
      o_.bytes_moved += changed;
      o_.threads_used =
          std::max(o_.threads_used, static_cast<int>(taking * static_cast<std::int64_t>(threads.size())));
    }
    const double work = std::accumulate(batch.shard_seconds.begin(), batch.shard_seconds.end(), 0.0);
    const double longest = *std::max_element(batch.shard_seconds.begin(), batch.shard_seconds.end());
    o_.seconds_work += work + batch.seconds_fold;
    o_.seconds_busiest += slowest + batch.seconds_fold / static_cast<double>(taking);
    o_.seconds_chain += longest;
    o_.seconds_longest += longest;  // one of each batch
    o_.tasks += static_cast<std::uint64_t>(shards);
    o_.seconds += slowest + batch.seconds_fold / static_cast<double>(taking);
    if (on_.ranks == 1) return;
    constexpr double steps = 3;  // collective steps: failures, changes, results
    const double returned = static_cast<double>(batch.returned_bytes) * (1 - 1 / ranks());
    o_.bytes_moved += returned * ranks();
    o_.seconds += steps * on_.latency_seconds + (most_changed + returned) / on_.bytes_per_second;
    o_.seconds +=
        2 * steps * (ranks() - 1) * on_.message_seconds + 2 * (most_changed + returned) * on_.byte_seconds;
    o_.messages += steps * ranks() * (ranks() - 1);
  }

  /// A shard requests each group that it touches, and waits; one in `ranks` is on its own rank.
  double seconds_fetching(const batch_cost& batch, std::size_t shard) {
    const double remote_share = 1 - 1 / ranks();
    const double bytes = static_cast<double>(batch.shard_fetched[shard]) * remote_share;
    o_.bytes_moved += bytes;
    o_.messages += 2 * batch.shard_fetches[shard] * remote_share;
    return batch.shard_fetches[shard] * remote_share * 2 * (on_.latency_seconds + on_.message_seconds) +
           bytes / on_.bytes_per_second + bytes * on_.byte_seconds;
  }

  const launch_sample& s_;
  const simulated_cluster& on_;
  simulated_holdings& holdings_;
  std::vector<double> fetched_;  // by rank: bytes of ranges that it reads
  launch_outcome o_;
};

}  // namespace

launch_outcome model_launch(const launch_sample& sample, const simulated_cluster& on,
                            simulated_holdings& holdings) {
  return launch_model(sample, on, holdings).run();
}

simulated_cluster without_network(simulated_cluster c) {
  c.bytes_per_second = std::numeric_limits<double>::infinity();
  c.latency_seconds = c.message_seconds = c.byte_seconds = 0;
  return c;
}

}  // namespace stradsap::rt

#include "runtime/loop/plan/share_balance.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stradsap::rt {

static constexpr double least_lateness = 50e-6;  // seconds
static constexpr double least_gain = 0.25;       // of the slowest rank's lateness
static constexpr std::uint64_t most_time_bins = 1024;

share_balance::share_balance(std::uint64_t n, int ranks, int executors_per_rank)
    : n_(n), ranks_(ranks), executors_(executors_per_rank), last_rates_(static_cast<std::size_t>(ranks)) {
  forget();
}

void share_balance::forget() {
  rounds_ = 0;
  lost_ = 0;
  loads_.assign(static_cast<std::size_t>(ranks_), {});
  bins_.clear();
}

void share_balance::note(std::span<const int> ranks, std::span<const float> seconds, bool each_timed,
                         const share_change& change) {
  plan p;
  std::vector<rank_load> loads(static_cast<std::size_t>(ranks_));
  for (std::uint64_t i = 0; i < ranks.size(); ++i) {
    p.blocks.push_back({.count = 1, .rank = ranks[i], .begin = i});
    rank_load& load = loads.at(static_cast<std::size_t>(ranks[i]));
    load.iterations += 1;
    load.seconds += static_cast<double>(seconds[i]);
  }
  note(p, loads, each_timed ? seconds : std::span<const float>(), change);
}

void share_balance::note(const plan& p, std::span<const rank_load> ranks,
                         std::span<const float> block_seconds, const share_change& change) {
  if (skip_ > 0) return void(--skip_);
  double mean = 0;
  std::size_t slowest = 0;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    mean += ranks[r].seconds / (executors_ * ranks_);
    if (ranks[r].seconds > ranks[slowest].seconds) slowest = r;
  }
  const double excess = ranks[slowest].seconds / executors_ - mean;
  if (slowest != slowest_) forget();
  slowest_ = slowest;
  if (excess < std::max(least_lateness, change.least_excess * mean)) return forget();
  add(p, ranks, block_seconds);
  lost_ += excess;
  if (++rounds_ < needed_ || (!p.listed && block_seconds.empty())) return;
  const proposal better = propose(p, block_seconds, change);
  if (better.gain < least_gain * excess) {
    wait_longer();
    trust_the_idle();
    return forget();
  }
  if (lost_ * better.gain < better.cost * excess) return;
  if (excess / mean > last_excess_ / 2) wait_longer();
  last_excess_ = excess / mean;
  shares_ = better.shares;
  skip_ = 1;
  forget();
}

/// Calls visit(bin, fraction) for each bin that a block overlaps.
template <class Visit>
static void for_each_bin(const plan_block& block, std::uint64_t n, std::size_t bins, const Visit& visit) {
  const double width = static_cast<double>(n) / static_cast<double>(bins);
  const double end = static_cast<double>(block.begin + block.count) / width;
  for (double at = static_cast<double>(block.begin) / width; at < end;) {
    const auto bin = std::min(bins - 1, static_cast<std::size_t>(at));
    const double next = bin + 1 == bins ? end : std::min(end, static_cast<double>(bin) + 1);
    visit(bin, next - at);
    at = next;
  }
}

void share_balance::add(const plan& p, std::span<const rank_load> ranks,
                        std::span<const float> block_seconds) {
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    loads_[r].iterations += ranks[r].iterations;
    loads_[r].seconds += ranks[r].seconds;
    const bool is_known = loads_[r].iterations > 0 && loads_[r].seconds > 0;
    if (is_known) last_rates_[r] = static_cast<double>(loads_[r].iterations) / loads_[r].seconds;
  }
  if (p.listed || block_seconds.empty()) return;
  bins_.resize(std::min(n_, most_time_bins));
  for (std::size_t b = 0; b < p.blocks.size(); ++b) {
    const auto count = static_cast<double>(p.blocks[b].count);
    const double seconds_a_bin = static_cast<double>(block_seconds[b]) / count * static_cast<double>(n_) /
                                 static_cast<double>(bins_.size());
    for_each_bin(p.blocks[b], n_, bins_.size(),
                 [&](std::size_t bin, double part) { bins_[bin] += part * seconds_a_bin; });
  }
}

/// Iterations a second, by rank. A rank that never ran any has the overall rate.
std::vector<double> share_balance::rates() const {
  rank_load all;
  for (const rank_load& load : loads_) {
    all.iterations += load.iterations;
    all.seconds += load.seconds;
  }
  std::vector<double> rates = last_rates_;
  for (double& rate : rates) {
    if (rate == 0) rate = static_cast<double>(all.iterations) / all.seconds;
  }
  return rates;
}

/// A rank that was too slow for any block may have become faster. Doubling its rate gives it a block sooner
/// or later.
void share_balance::trust_the_idle() {
  for (std::size_t r = 0; r < loads_.size(); ++r) {
    if (loads_[r].iterations == 0) last_rates_[r] *= 2;
  }
}

/// Shares by rates. A share at most halves, since the times may be those of a bad moment.
std::vector<std::uint64_t> share_balance::ends_by_rate() const {
  std::vector<double> sizes = rates();
  const double all_rates = std::accumulate(sizes.begin(), sizes.end(), 0.0);
  double iterations = 0;
  for (const rank_load& load : loads_) iterations += static_cast<double>(load.iterations);
  double total = 0;
  for (std::size_t r = 0; r < sizes.size(); ++r) {
    sizes[r] = std::max(sizes[r] / all_rates, static_cast<double>(loads_[r].iterations) / iterations / 2);
    total += sizes[r];
  }
  std::vector<std::uint64_t> ends;
  double before = 0;
  for (const double size : sizes) {
    before += size;
    ends.push_back(static_cast<std::uint64_t>(std::llround(static_cast<double>(n_) * before / total)));
  }
  ends.back() = n_;
  return ends;
}

/// The ends of the ranks' shares, if each rank takes blocks up to `most` seconds. Empty if the ranks do not
/// suffice.
static std::vector<std::uint64_t> ends_under(double most, const block_plan& p,
                                             std::span<const double> seconds, int ranks) {
  std::vector<std::uint64_t> ends;
  std::uint64_t end = 0;
  double taken = 0;
  for (std::size_t b = 0; b < p.blocks.size(); ++b) {
    if (taken > 0 && taken + seconds[b] > most) {
      ends.push_back(end);
      taken = 0;
    }
    taken += seconds[b];
    end += p.blocks[b].count;
  }
  if (ends.size() >= static_cast<std::size_t>(ranks)) return {};
  ends.resize(static_cast<std::size_t>(ranks), end);
  return ends;
}

/// The contiguous shares that minimise the longest time. Assumes that iterations take the same time on any
/// rank.
std::vector<std::uint64_t> share_balance::ends_by_time(const plan& p) const {
  constexpr int halvings = 20;
  std::vector<double> seconds;
  for (const plan_block& block : p.blocks) {
    double of_block = 0;
    for_each_bin(block, n_, bins_.size(),
                 [&](std::size_t bin, double part) { of_block += part * bins_[bin]; });
    seconds.push_back(of_block);
  }
  double too_little = 0;
  double enough = 2 * std::accumulate(seconds.begin(), seconds.end(), 0.0);  // a margin for rounding
  for (int k = 0; k < halvings; ++k) {
    const double middle = (too_little + enough) / 2;
    (ends_under(middle, p, seconds, ranks_).empty() ? too_little : enough) = middle;
  }
  return ends_under(enough, p, seconds, ranks_);
}

/// The last launch with new shares, block by block: its gain and its cost.
share_balance::proposal share_balance::propose(const plan& p, std::span<const float> block_seconds,
                                               const share_change& change) const {
  proposal made;
  made.shares = p.listed ? ends_by_rate() : ends_by_time(p);
  const std::vector<double> rate = rates();
  const std::vector<block_place> places = places_of_blocks(p, p.weights, ranks_, executors_, made.shares);
  std::vector<double> now(loads_.size());
  std::vector<double> then(loads_.size());
  for (std::size_t b = 0; b < p.blocks.size(); ++b) {
    const auto from = static_cast<std::size_t>(p.blocks[b].rank);
    const auto to = static_cast<std::size_t>(places[b].rank);
    const auto count = static_cast<double>(p.blocks[b].count);
    const double before = p.listed ? count / rate[from] : static_cast<double>(block_seconds[b]);
    now[from] += before / executors_;
    then[to] += (p.listed ? count / rate[to] : before) / executors_;
    if (from != to) made.cost += change.cost_of_moving * before;
  }
  made.gain = *std::max_element(now.begin(), now.end()) - *std::max_element(then.begin(), then.end());
  made.cost += change.cost;
  return made;
}

}  // namespace stradsap::rt

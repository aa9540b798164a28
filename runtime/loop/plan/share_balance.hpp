// The shares of the ranks: the part of a loop's iterations that each one runs, corrected by measured times.
// Timings change placement, never results.
//
// - A loop that lists iterations gets shares by the ranks' rates, since the length of each block is known.
// - The work of a range is not known. Times of ranges give new cuts, common to all loops of that length,
//   since these access the same containers by their index.
// - Shards, and parts of waves, are dealt out by their times.
//
// Shares change if the same rank is the slowest by a tenth in several launches in a row, and the loss that
// new shares would have avoided exceeds the cost of the change. A run that ends right after a change has thus
// lost about twice that cost, at most. A change that does not halve the lateness doubles the number of
// launches before the next.
//
// Thread rule: one thread, the driver's.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "runtime/loop/plan/plan.hpp"

namespace stradsap::rt {

/// The work of one rank in a launch, of all its executors.
struct rank_load {
  std::uint64_t iterations = 0;
  double seconds = 0;
};

/// The costs and thresholds of other shares.
struct share_change {
  double cost = 200e-6;       // seconds, for any change
  double cost_of_moving = 0;  // times the run time of the moved iterations
  double least_excess = 0.1;  // of a late rank, over the mean
};

class share_balance {
 public:
  /// For loops of n iterations; or for n other units: shards, or parts of waves. Parts of waves go to wave
  /// threads as if each thread were a rank.
  share_balance(std::uint64_t n, int ranks, int executors_per_rank);
  [[nodiscard]] bool is_of(std::uint64_t n, int ranks) const { return n_ == n && ranks_ == ranks; }

  /// The end of each rank's share, in iterations. Empty: all shares are equal.
  [[nodiscard]] const std::vector<std::uint64_t>& shares() const { return shares_; }

  /// Notes a launch by a plan that these shares placed. `block_seconds`: the time of each block, unless the
  /// plan lists iterations. Launches that made a plan must not be noted.
  void note(const plan& p, std::span<const rank_load> ranks, std::span<const float> block_seconds) {
    note(p, ranks, block_seconds, {.cost_of_moving = 4});  // packing, sending, unpacking
  }

  /// Notes a launch that ran unit i on rank `ranks[i]` for `seconds[i]`. If not `each_timed`, only the sums
  /// by rank are right.
  void note(std::span<const int> ranks, std::span<const float> seconds, bool each_timed,
            const share_change& change = {});
  /// Whether a rank was late in the last launch.
  [[nodiscard]] bool is_late() const { return rounds_ > 0; }

 private:
  struct proposal {
    std::vector<std::uint64_t> shares;
    double gain = 0;  // seconds a launch
    double cost = 0;  // seconds
  };

  void note(const plan& p, std::span<const rank_load> ranks, std::span<const float> block_seconds,
            const share_change& change);
  void forget();
  void add(const plan& p, std::span<const rank_load> ranks, std::span<const float> block_seconds);
  [[nodiscard]] std::vector<std::uint64_t> ends_by_rate() const;
  [[nodiscard]] std::vector<std::uint64_t> ends_by_time(const plan& p) const;
  [[nodiscard]] std::vector<double> rates() const;
  void trust_the_idle();
  [[nodiscard]] proposal propose(const plan& p, std::span<const float> block_seconds,
                                 const share_change& change) const;
  void wait_longer() { needed_ = needed_ < most_needed ? 2 * needed_ : needed_; }

  static constexpr int most_needed = 1 << 10;

  const std::uint64_t n_;
  const int ranks_;
  const int executors_;
  std::vector<std::uint64_t> shares_;
  int needed_ = 2;                  // launches in a row
  int skip_ = 0;                    // launches that still move iterations after a change
  std::vector<double> last_rates_;  // by rank: iterations a second when it last ran any, else 0
  double last_excess_ = std::numeric_limits<double>::infinity();  // over the mean, at the last change

  // of the current row of launches
  int rounds_ = 0;
  std::size_t slowest_ = 0;
  double lost_ = 0;               // seconds
  std::vector<rank_load> loads_;  // by rank
  std::vector<double> bins_;      // seconds of equal ranges of the iterations
};

}  // namespace stradsap::rt

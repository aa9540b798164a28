// Which part of a loop's iterations each rank has, corrected by what ranks took for theirs. Loops that list
// iterations know how many each block has: ranks get shares by their rates. Where iterations are ranges it is
// not known what each has to do: the times of ranges cut them anew, for all loops of that length alike, since
// these take the same containers by their index. Shards and parts of waves are dealt out by their times, too.
// Nothing but places follows from times, and so no bit.
//
// Shares change when one and the same rank is the slowest by a tenth in several launches in a row, and what
// that has cost by then is more than the change does: who stops there has lost at most twice. Where a change
// does not bring half of what it should, the next takes twice as many launches.
// Thread rule: one thread, the driver's.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "runtime/loop/plan.hpp"

namespace stradsap::rt {

/// What one rank did in a launch, all executors together.
struct rank_load {
  std::uint64_t iterations = 0;
  double seconds = 0;
};

/// When other shares are worth it.
struct share_change {
  double cost = 200e-6;       // seconds, in any case
  double cost_of_moving = 0;  // times what the iterations that move take
  double least_excess = 0.1;  // by which a rank is late, over the mean
};

class share_balance {
 public:
  /// Of loops of n iterations; or of n other things that are dealt out: shards, or parts of waves, which go
  /// to lanes as if each was a rank.
  share_balance(std::uint64_t n, int ranks, int lanes_per_rank);
  [[nodiscard]] bool is_of(std::uint64_t n, int ranks) const { return n_ == n && ranks_ == ranks; }

  /// Where each rank's share ends, in iterations; empty: all have equally many.
  [[nodiscard]] const std::vector<std::uint64_t>& shares() const { return shares_; }

  /// A launch by a plan that this object's shares placed; `block_seconds` has the time of each block, unless
  /// the plan lists iterations. Launches that made a plan do not count.
  void note(const plan& p, std::span<const rank_load> ranks, std::span<const float> block_seconds) {
    note(p, ranks, block_seconds, {.cost_of_moving = 4});  // packing, sending, unpacking
  }

  /// A launch that ran each of n things on rank `ranks[i]` for `seconds[i]`; unless each was timed, only
  /// their sums by rank hold.
  void note(std::span<const int> ranks, std::span<const float> seconds, bool each_timed,
            const share_change& change = {});
  /// Some rank was late in the last launch.
  [[nodiscard]] bool is_late() const { return rounds_ > 0; }

 private:
  struct proposal {
    std::vector<std::uint64_t> shares;
    double gain = 0;  // seconds of a launch
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
  const int lanes_;
  std::vector<std::uint64_t> shares_;
  int needed_ = 2;                  // launches in a row
  int skip_ = 0;                    // launches that bring in what the last change moved
  std::vector<double> last_rates_;  // by rank: iterations a second, when it last had any; else 0
  double last_excess_ = std::numeric_limits<double>::infinity();  // over the mean, at the last change

  // of the launches in a row so far
  int rounds_ = 0;
  std::size_t slowest_ = 0;
  double lost_ = 0;               // seconds
  std::vector<rank_load> loads_;  // by rank
  std::vector<double> bins_;      // seconds by equal parts of the iterations
};

}  // namespace stradsap::rt

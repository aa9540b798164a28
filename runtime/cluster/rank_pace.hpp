// Chooses between all ranks and the driver's rank alone, by time, for a short loop in ranges without
// conflicts. Both give the same bits. A time goes from the start of a call to the start of the next launch,
// because the way decides where the elements are that main reads in between. Medians decide: other work of
// the machine disturbs some calls. The slower way is tried again ever more rarely. Thread rule: one thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace stradsap::rt {

class rank_pace {
 public:
  /// Whether the next call runs on the driver's rank alone.
  [[nodiscard]] bool is_here() const { return here_; }

  /// A call took `seconds`, in the way that is_here() said.
  void note(double seconds) {
    if (!is_settled_) return void(is_settled_ = true);  // it made a plan, or moved elements
    way& now = ways_[here_ ? 1 : 0];
    now.add(seconds);
    if (++calls_ < (is_sample_ ? sample : lease_)) return;
    is_long_ = is_long_ || ways_[0].median() > longest_seconds;
    is_sample_ ? end_sample() : begin_sample();
  }

 private:
  static constexpr std::size_t sample = 7;  // calls
  static constexpr std::size_t longest_lease = std::size_t{1} << 14;
  static constexpr double longest_seconds = 5e-3;  // longer loops run on all ranks: a try would cost much

  /// The last times of one way.
  struct way {
    std::array<double, sample> seconds{};
    std::size_t count = 0;
    void add(double s) { seconds[count++ % sample] = s; }
    [[nodiscard]] double median() const {
      std::array<double, sample> sorted = seconds;
      std::sort(sorted.begin(), sorted.end());
      return sorted[sample / 2];
    }
  };

  void go(bool here, bool as_sample) {
    if (here != here_) is_settled_ = false;
    here_ = here;
    is_sample_ = as_sample;
    calls_ = 0;
  }
  void begin_sample() { is_long_ ? go(false, false) : go(!here_, true); }
  void end_sample() {
    if (is_long_) return go(false, false);
    if (ways_[1].count == 0) return go(true, true);
    const bool is_faster = ways_[1].median() < ways_[0].median();
    lease_ = is_faster == prefers_here_ ? std::min(2 * lease_, longest_lease) : first_lease;
    prefers_here_ = is_faster;
    go(is_faster, false);
  }

  static constexpr std::size_t first_lease = 128;

  std::array<way, 2> ways_;  // on all ranks; here
  bool here_ = false;
  bool prefers_here_ = false;
  bool is_sample_ = true;
  bool is_settled_ = false;
  bool is_long_ = false;
  std::size_t calls_ = 0;
  std::size_t lease_ = first_lease;
};

}  // namespace stradsap::rt

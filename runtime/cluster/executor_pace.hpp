// Chooses between all executors and some of the driver's rank, by time, for a loop in ranges without
// conflicts: between all ranks and the driver's rank alone, or between the threads of one process and one
// thread. Both give the same bits. A time goes from the start of a call to the start of the loop's next one:
// the way decides where the elements are, for main and for all other loops in between. Medians decide: other
// work of the machine disturbs some calls. The slower way is tried again ever more rarely. Thread rule: one
// thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace stradsap::rt {

class executor_pace {
 public:
  /// A call begins, `now` seconds after some fixed time. Whether it runs on the few executors.
  [[nodiscard]] bool begin(double now) {
    if (start_ >= 0) note(now - start_);
    start_ = now;
    return here_;
  }

  /// The call took `seconds` on all executors, and its iterations would take `alone` on the few.
  void ran_everywhere(double seconds, double alone) {
    is_long_ = alone >= longest_seconds && seconds < alone;
    is_late_ = seconds > alone;
  }

 private:
  static constexpr std::size_t sample = 7;  // calls, at most
  static constexpr std::size_t least_sample = 2;
  static constexpr double long_sample = 20e-3;  // seconds
  static constexpr std::size_t first_lease = 128;
  static constexpr double least_lease = 32;  // a lease, compared with the sample before it
  static constexpr std::size_t longest_lease = std::size_t{1} << 14;
  static constexpr double longest_seconds = 5e-3;  // longer loops run on all: a try would cost much

  /// The last times of one way.
  struct way {
    std::array<double, sample> seconds{};
    std::size_t count = 0;
    void add(double s) { seconds[count++ % sample] = s; }
    [[nodiscard]] double median() const {
      std::array<double, sample> sorted = seconds;
      const std::size_t known = std::min(count, sample);
      std::sort(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(known));
      return sorted[(known - 1) / 2];
    }
  };

  void note(double seconds) {
    spent_ += seconds;
    if (!is_settled_) return void(is_settled_ = true);  // it made a plan, or moved elements
    ways_[here_ ? 1 : 0].add(seconds);
    ++calls_;
    if (!is_sample_) {
      if (calls_ >= lease_ && spent_ >= least_lease * last_sample_) begin_sample();
    } else if (is_sample_enough()) {
      end_sample();
    }
  }

  /// A sample on all executors ends at once if the iterations would take less time here.
  [[nodiscard]] bool is_sample_enough() const {
    return calls_ >= sample || (calls_ >= least_sample && spent_ >= long_sample) || (!here_ && is_late_);
  }

  void go(bool here, bool as_sample) {
    if (here != here_) is_settled_ = false;
    here_ = here;
    is_sample_ = as_sample;
    if (as_sample) ways_[here ? 1 : 0].count = 0;
    spent_ = 0;
    calls_ = 0;
  }
  void begin_sample() { is_long_ ? go(false, false) : go(!here_, true); }
  void end_sample() {
    last_sample_ = spent_;
    if (is_long_) return go(false, false);
    if (ways_[1].count == 0) return go(true, true);
    const bool is_faster = ways_[1].median() < ways_[0].median();
    lease_ = is_faster == prefers_here_ ? std::min(2 * lease_, longest_lease) : first_lease;
    prefers_here_ = is_faster;
    go(is_faster, false);
  }

  std::array<way, 2> ways_;  // on all executors; here, on the few
  double start_ = -1;        // of the last call; negative: there was none
  bool here_ = false;
  bool prefers_here_ = false;
  bool is_sample_ = true;
  bool is_settled_ = false;
  bool is_long_ = false;    // and all executors are faster
  bool is_late_ = false;    // on all executors the last call took longer than its iterations would here
  double spent_ = 0;        // seconds of the sample or the lease
  double last_sample_ = 0;  // seconds
  std::size_t calls_ = 0;
  std::size_t lease_ = first_lease;
};

}  // namespace stradsap::rt

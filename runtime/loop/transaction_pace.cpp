#include "runtime/loop/transaction_pace.hpp"

#include <algorithm>
#include <limits>

namespace stradsap::rt {

static constexpr double first_patience = 100e-6;  // in place, before other threads are worth waking
static constexpr double most_in_place = 1e-3;     // seconds of a stretch
static constexpr double trial_seconds = 200e-6;   // in place, of what the first round takes
static constexpr double most_round_seconds = 2e-3;
/// In place, an iteration: what attempts and their settling cost at the least, on any machine.
static constexpr double least_each = 100e-9;
static constexpr int trial_rounds = 2;  // the first one wakes threads and touches memory for the first time
static constexpr double share_of_trials = 1.0 / 16;
static constexpr std::int64_t first_size = 64;
static constexpr std::int64_t most_members = 4096;  // more do not fit into a core's cache
/// Of all copies that a round makes. They are to be found in a cache when they are put in place.
static constexpr std::size_t most_bytes = std::size_t{8} << 20;

transaction_pace::transaction_pace(int lanes, bool rounds_only)
    : lanes_(lanes),
      rounds_only_(rounds_only),
      in_place_(!rounds_only),
      patience_(first_patience),
      round_size_(first_size) {}

/// Iterations in place that take so long.
std::int64_t transaction_pace::affordable(double seconds) const {
  if (place_each_ <= 0) return 1;
  return static_cast<std::int64_t>(std::clamp(seconds / place_each_, 1.0, 1e15));
}

transaction_pace::stretch transaction_pace::next() const {
  if (!in_place_) return {false, round_size_};
  if (lanes_ == 1) return {true, std::numeric_limits<std::int64_t>::max()};
  // What the next iterations take may be another matter.
  const std::int64_t wanted = affordable(std::min(most_in_place, std::max(patience_ - spent_, 10e-6)));
  return {true, std::min(wanted, std::max<std::int64_t>(1, 4 * last_))};
}

void transaction_pace::ran_in_place(std::int64_t count, double seconds) {
  // Who was interrupted once is no slower for that.
  const double each = seconds / static_cast<double>(count);
  place_each_ = place_each_ > 0 ? std::min(each, 2 * place_each_) : each;
  last_ = count;
  spent_ += seconds;
  if (spent_ >= patience_ && lanes_ > 1) try_rounds();
}

void transaction_pace::try_rounds() {
  spent_ = 0;
  if (place_each_ < least_each) return;
  in_place_ = false;
  rounds_ = 0;
  wasted_ = 0;
  round_size_ = std::clamp<std::int64_t>(affordable(trial_seconds), 4 * lanes_, most_members);
}

void transaction_pace::ran_round(std::int64_t count, std::int64_t repeated, std::size_t copied_bytes,
                                 double seconds) {
  ++rounds_;
  resize_rounds(count, repeated, copied_bytes, seconds);
  if (rounds_only_) return;
  const bool is_trial = rounds_ <= trial_rounds;
  if (is_trial) wasted_ += seconds;
  const double in_place = place_each_ * static_cast<double>(count);
  const bool is_hopeless = seconds > 4 * in_place;
  if (rounds_ < trial_rounds && !is_hopeless) return;
  if (seconds > 0.9 * in_place) return give_up(seconds);
  if (is_trial) patience_ = first_patience;
  spent_ += seconds;
  // An iteration in place may have become cheaper: a short stretch says so.
  if (share_of_trials * spent_ < std::max(most_in_place, 2 * place_each_)) return;
  in_place_ = true;
  spent_ = patience_;
  last_ = count / 4;
}

void transaction_pace::give_up(double seconds) {
  in_place_ = true;
  spent_ = 0;
  patience_ = std::max(2 * patience_, (wasted_ + seconds) / share_of_trials);
}

void transaction_pace::resize_rounds(std::int64_t count, std::int64_t repeated, std::size_t copied_bytes,
                                     double seconds) {
  if (count < round_size_) return;  // few were left: that says nothing of more
  if (4 * repeated > count) {
    round_size_ = std::max<std::int64_t>(4 * lanes_, count / 2);
  } else if (8 * repeated < count && (rounds_only_ || seconds < most_round_seconds / 2)) {
    round_size_ = std::min(most_members, 2 * count);
  }
  const double bytes_each = static_cast<double>(copied_bytes) / static_cast<double>(count);
  if (bytes_each * static_cast<double>(round_size_) > most_bytes)
    round_size_ = std::max<std::int64_t>(1, static_cast<std::int64_t>(most_bytes / bytes_each));
}

}  // namespace stradsap::rt

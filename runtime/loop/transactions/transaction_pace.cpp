#include "runtime/loop/transactions/transaction_pace.hpp"

#include <algorithm>
#include <limits>

namespace stradsap::rt {

static constexpr double first_lease = 100e-6;   // in place, before other threads are woken
static constexpr double most_in_place = 1e-3;   // seconds of a stretch
static constexpr double least_sample = 20e-6;   // of a sample in place, since entering a body takes time
static constexpr double round_sample = 200e-6;  // time in place of the iterations of a sampled round
static constexpr double most_round = 2e-3;      // seconds
/// Seconds of an iteration. Attempts and their settlement cost at least this much on any machine.
static constexpr double least_each = 100e-9;
static constexpr int sampled_rounds = 2;    // the first one wakes threads and touches new memory
static constexpr double much_longer = 16;   // a lease, compared with the sample before it
static constexpr double longest_lease = 1;  // seconds: the data may change
static constexpr double clearly = 0.9;
static constexpr std::int64_t first_size = 64;
static constexpr std::int64_t most_members = 4096;  // more do not fit the cache of a core
/// Of all copies of a round. When they are put in place they should still be in a cache.
static constexpr double most_bytes = std::size_t{8} << 20;

transaction_pace::transaction_pace(int executors, bool rounds_only)
    : executors_(executors),
      rounds_only_(rounds_only),
      prefers_place_(!rounds_only),
      lease_(first_lease),
      round_size_(first_size) {}

/// Limits the effect of a single interruption: a time counts as at most twice the one before.
void transaction_pace::way::note(std::int64_t count, double seconds) {
  const double now = seconds / static_cast<double>(count);
  each = each > 0 ? std::min(now, 2 * each) : now;
}

/// The number of iterations that run in place in so many seconds.
std::int64_t transaction_pace::in_place_for(double seconds) const {
  if (place_.each <= 0) return 1;
  return static_cast<std::int64_t>(std::clamp(seconds / place_.each, 1.0, 1e15));
}

transaction_pace::stretch transaction_pace::next() const {
  if (!is_in_place()) return {false, round_size_};
  if (executors_ == 1) return {true, std::numeric_limits<std::int64_t>::max()};
  const double left = sampling_ ? 0 : lease_ - spent_;
  const std::int64_t wanted = in_place_for(std::clamp(left, 2 * least_sample, most_in_place));
  // The next iterations may take longer.
  return {true, std::min(wanted, std::max<std::int64_t>(1, 4 * last_in_place_))};
}

void transaction_pace::ran_in_place(std::int64_t count, double seconds) {
  place_.note(count, seconds);
  last_in_place_ = count;
  if (executors_ > 1) spend(seconds, seconds >= least_sample);
}

void transaction_pace::ran_round(std::int64_t count, std::int64_t repeated, std::size_t copied_bytes,
                                 double seconds) {
  resize_rounds(count, repeated, copied_bytes, seconds);
  if (rounds_only_) return;
  rounds_.note(count, seconds);
  const bool is_hopeless = rounds_.each > 4 * place_.each;
  spend(seconds, ++sampled_rounds_ >= sampled_rounds || is_hopeless);
}

void transaction_pace::spend(double seconds, bool is_sample_enough) {
  spent_ += seconds;
  if (sampling_) {
    if (is_sample_enough) end_sample();
    return;
  }
  const bool is_slower_than_it_was = !prefers_place_ && rounds_.each > 2 * place_.each;
  if (spent_ >= lease_ || is_slower_than_it_was) begin_sample();
}

void transaction_pace::begin_sample() {
  spent_ = 0;
  if (prefers_place_ && place_.each < least_each) return;
  sampling_ = true;
  sampled_rounds_ = 0;
  if (!prefers_place_) return;
  rounds_.each = 0;
  round_size_ = std::clamp<std::int64_t>(in_place_for(round_sample), 4 * executors_, most_members);
}

void transaction_pace::end_sample() {
  sampling_ = false;
  const way& tried = prefers_place_ ? rounds_ : place_;
  const way& used = prefers_place_ ? place_ : rounds_;
  if (tried.each < clearly * used.each) {
    prefers_place_ = !prefers_place_;
    lease_ = 4 * spent_;  // the time of the other way is recent
  } else {
    lease_ = std::max(std::min(2 * lease_, longest_lease), much_longer * spent_);
  }
  spent_ = 0;
}

void transaction_pace::resize_rounds(std::int64_t count, std::int64_t repeated, std::size_t copied_bytes,
                                     double seconds) {
  if (count < round_size_) return;  // a short last round tells nothing about longer ones
  if (4 * repeated > count) {
    round_size_ = std::max<std::int64_t>(4 * executors_, count / 2);
  } else if (8 * repeated < count && (rounds_only_ || seconds < most_round / 2)) {
    round_size_ = std::min(most_members, 2 * count);
  }
  const double bytes_each = static_cast<double>(copied_bytes) / static_cast<double>(count);
  if (bytes_each * static_cast<double>(round_size_) > most_bytes)
    round_size_ = std::max<std::int64_t>(1, static_cast<std::int64_t>(most_bytes / bytes_each));
}

}  // namespace stradsap::rt

#include "runtime/loop/transactions/transactions.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "runtime/base/elapsed.hpp"
#include "runtime/loop/transactions/program_order.hpp"
#include "runtime/loop/transactions/transaction_repeat.hpp"

namespace stradsap::rt {

namespace {

using steady = std::chrono::steady_clock;

/// The state that only rounds need.
class rounds {
 public:
  rounds(const loop_frame& f, executor_pool& pool, const std::vector<std::byte*>& partials)
      : frame_(f), pool_(pool), partials_(partials), round_(f), repeat_(f, round_, changes_) {
    changes_.has_new_keys.resize(f.num_captures());
    for (int executor = 0; executor < pool.size(); ++executor)
      executors_.push_back(
          std::make_unique<transaction_executor>(f, round_, static_cast<std::uint32_t>(executor)));
  }

  /// Runs iterations [begin, begin + count). Returns the number that ran again.
  std::int64_t run(std::int64_t begin, std::int64_t count) {
    const std::int64_t at_once = std::clamp<std::int64_t>(count / (8 * pool_.size()), 1, 32);
    round_.begin(begin, static_cast<std::uint32_t>(count), static_cast<std::uint32_t>(at_once));
    for (const auto& executor : executors_) executor->begin_round();
    pool_.run([this](int executor) { executors_[static_cast<std::size_t>(executor)]->run(); });
    return settle();
  }
  [[nodiscard]] const std::optional<failure>& failed() const { return failed_; }
  [[nodiscard]] std::size_t copied() const {
    std::size_t sum = 0;
    for (const auto& executor : executors_) sum += executor->copied();
    return sum;
  }
  [[nodiscard]] std::vector<access_log> take_logs() {
    std::vector<access_log> logs;
    for (const auto& executor : executors_) logs.push_back(executor->take_log());
    logs.push_back(repeat_.take_log());
    return logs;
  }

 private:
  std::int64_t settle() {
    std::int64_t repeated = 0;
    changes_.elements.empty();
    std::fill(changes_.has_new_keys.begin(), changes_.has_new_keys.end(), false);
    for (std::uint32_t member = 0; member < round_.size() && !failed_; ++member) {
      const attempt& of = round_[member];
      transaction_executor& executor = *executors_[of.executor];
      if (executor.stands(of, changes_)) {
        executor.put_in_place(of, member, changes_);
      } else {
        ++repeated;
        failed_ = repeat_.run(round_.iteration_of(member), parts_of(member));
      }
      if (round_.partials_size != 0) fold(parts_of(member));
    }
    return repeated;
  }

  const std::vector<std::byte*>& parts_of(std::uint32_t member) {
    parts_.resize(partials_.size());
    for (std::size_t c = 0; c < parts_.size(); ++c)
      parts_[c] = round_.partials_of(member) + round_.partial_offsets[c];
    return parts_;
  }

  void fold(const std::vector<std::byte*>& parts) {
    for (std::size_t c = 0; c < partials_.size(); ++c) {
      const abi::capture_info& capture = frame_.entry->captures[c];
      if (capture.combine != nullptr) capture.combine(partials_[c], parts[c]);
    }
  }

  const loop_frame& frame_;
  executor_pool& pool_;
  const std::vector<std::byte*>& partials_;
  transaction_round round_;
  round_changes changes_;  // of settled members
  transaction_repeat repeat_;
  std::vector<std::unique_ptr<transaction_executor>> executors_;
  std::vector<std::byte*> parts_;  // one member's, by capture
  std::optional<failure> failed_;
};

class transactions {
 public:
  transactions(const loop_frame& f, executor_pool& pool, const std::vector<std::byte*>& partials,
               transaction_pace& pace)
      : frame_(f),
        pool_(pool),
        partials_(partials),
        pace_(pace),
        alone_(f, partials, grouping(f), body_copy::movable) {}

  transactions_end run() {
    frame_.begin(work_stage::running, static_cast<std::uint64_t>(frame_.n));
    for (std::int64_t at = 0; at < frame_.n && !end_.failed;) {
      const transaction_pace::stretch next = pace_.next();
      const std::int64_t count = std::min(frame_.n - at, next.count);
      next.in_place ? run_in_place(at, count) : run_round(at, count);
      at += count;
    }
    if (rounds_) end_.logs = rounds_->take_logs();
    return std::move(end_);
  }

 private:
  /// Groups sums as rounds do if the grouping changes bits.
  static sums_grouped grouping(const loop_frame& f) {
    return has_inexact_sums(*f.entry) ? sums_grouped::by_iteration : sums_grouped::by_addition;
  }

  void run_in_place(std::int64_t begin, std::int64_t count) {
    const auto start = steady::now();
    end_.failed = alone_.run(begin, begin + count);
    end_.in_place += static_cast<std::uint64_t>(count);
    pace_.ran_in_place(count, seconds_since(start));
  }

  void run_round(std::int64_t begin, std::int64_t count) {
    if (!rounds_) rounds_.emplace(frame_, pool_, partials_);
    const auto start = steady::now();
    const std::int64_t repeated = rounds_->run(begin, count);
    end_.failed = rounds_->failed();
    frame_.count(0, static_cast<std::uint64_t>(count));
    ++end_.rounds;
    end_.repeated += static_cast<std::uint64_t>(repeated);
    pace_.ran_round(count, repeated, rounds_->copied(), seconds_since(start));
  }

  const loop_frame& frame_;
  executor_pool& pool_;
  const std::vector<std::byte*>& partials_;
  transaction_pace& pace_;
  program_order alone_;
  std::optional<rounds> rounds_;
  transactions_end end_;
};

}  // namespace

transactions_end run_as_transactions(const loop_frame& f, executor_pool& pool,
                                     const std::vector<std::byte*>& partials, transaction_pace& pace) {
  return transactions(f, pool, partials, pace).run();
}

}  // namespace stradsap::rt

// A loop that runs on this rank: its receiving end for messages, and the parts common to all strategies,
// which are failures and results. Thread rule: received() on the thread with the receiving role, one at a
// time, or before other threads know the loop; the rest on any thread.
#pragma once

#include <atomic>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "runtime/base/mutex.hpp"
#include "runtime/base/wait_policy.hpp"
#include "runtime/loop/access/access_log.hpp"
#include "runtime/loop/accumulate/accumulators.hpp"
#include "runtime/loop/run/body_copy.hpp"
#include "runtime/net/transport.hpp"
#include "runtime/wire/messages.hpp"

namespace stradsap::rt {

/// One batch of a `sync` loop, when it is timed.
struct batch_cost {
  std::vector<float> shard_seconds;
  std::vector<std::uint64_t> shard_bytes;    // of changed elements
  std::vector<std::uint32_t> shard_fetches;  // groups of written maps that it touches
  std::vector<std::uint64_t> shard_fetched;  // bytes of these groups
  std::uint64_t returned_bytes = 0;          // of results that all ranks get
  double seconds_fold = 0;
};

/// One rank's results of a launch.
struct loop_result {
  std::vector<std::uint32_t> blocks;  // block of each entry of `partials`; one entry a piece
  bytes partials;
  std::vector<std::uint32_t> summed;  // if not empty, `partials` has an entry for each of these iterations
  std::vector<failure> failures;      // none, or this rank's first in serial order
  counters work;
  std::vector<double> waits;         // by capture, if any: seconds of waiting for its groups
  std::vector<access_log> logs;      // of its executors, if accesses are logged
  double seconds_slowest = 0;        // of the slowest executor
  std::vector<float> block_seconds;  // by block, when the loop is timed
  std::vector<float> piece_seconds;  // by entry of `blocks`, or empty
  std::vector<batch_cost> batches;   // of a `sync` loop that is timed
};

/// The work of one executor.
struct executor_clock {
  std::uint64_t iterations = 0;
  double seconds_compute = 0;
  double seconds_wait = 0;
  std::vector<double> waits;         // of them, by capture with the group that came last; empty: none
  std::vector<std::uint64_t> ticks;  // by part of waves, if these are timed: ticks of the processor's counter
};

/// This rank among those that run the loop. `net` may be null if there is only one.
struct loop_place {
  launch_id launch{};
  rank_id self = 0;
  int ranks = 1;
  transport* net = nullptr;
  int executors = 1;  // executors of this rank
  wait_policy waiting{};
  copies_store& store;
  relaxed_copies* relaxed = nullptr;  // null if no container is relaxed
  delayed_rounds* delayed = nullptr;  // instead, if all rounds are one execution
  delayed_clocks* clocks = nullptr;   // instead, if the loop is a clock
  /// Of all rounds of the loop, if accesses are logged.
  std::shared_ptr<element_versions> versions = nullptr;
  body_copy copy = body_copy::fastest;  // of a loop by blocks
};

class running_loop {
 public:
  [[nodiscard]] launch_id id() const { return at_.launch; }
  /// Both throw error(errc::decode) if the message does not fit this loop.
  virtual void received(rank_id from, token t) = 0;
  virtual void received(rank_id from, moved_elements m) = 0;
  void received(const cancel& c) { stop_after(c.position); }
  /// The ranks that this one waits for, if none of its threads runs a body. By any thread.
  [[nodiscard]] virtual std::vector<awaited_rank> awaits() const { return {}; }
  /// The accumulators of this rank.
  [[nodiscard]] const loop_deltas& deltas() const { return deltas_; }

 protected:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  running_loop(const loop_frame& frame, const loop_place& at);
  ~running_loop();

  /// Notes that a body threw, and tells all ranks. Blocks before its position in the serial order still run,
  /// so the reported failure is the first in that order for any number of workers.
  void fail(failure f);
  /// Nothing runs beyond this position of the serial order. `none`: no limit.
  [[nodiscard]] std::uint32_t stop_position() const { return stop_position_.load(std::memory_order_relaxed); }
  /// Blocks beyond the position need not run.
  void stop_after(std::uint32_t position);
  /// Keeps an executor's log for the result.
  void keep(access_log log);
  /// Adds the executors' work, the failure and the logs to `result`.
  void report(std::span<const executor_clock> executors, loop_result& result);

  const loop_place at_;
  const std::shared_ptr<element_versions> versions_;  // if accesses are logged
  const loop_deltas deltas_;                          // per capture

 private:
  std::atomic<std::uint32_t> stop_position_{none};
  mutex mutex_;
  std::vector<failure> failures_ GUARDED_BY(mutex_);
  std::vector<access_log> logs_ GUARDED_BY(mutex_);
};

}  // namespace stradsap::rt

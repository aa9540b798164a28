// A loop that runs on this rank: what the network knows of it, and what every way of running has in common:
// how it stops at a failure, and what its lanes bring home. Thread rule: received() by who receives, one
// thread at a time, or before anybody else is told of the loop; the rest on any.
#pragma once

#include <atomic>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "runtime/base/mutex.hpp"
#include "runtime/base/patience.hpp"
#include "runtime/loop/access_log.hpp"
#include "runtime/loop/lane_deltas.hpp"
#include "runtime/net/transport.hpp"
#include "runtime/wire/messages.hpp"

namespace stradsap::rt {

/// One batch of a `sync` loop, when it is timed.
struct batch_cost {
  std::vector<float> shard_seconds;
  std::vector<std::uint64_t> shard_bytes;    // of changed elements
  std::vector<std::uint32_t> shard_fetches;  // groups of written containers that it touches
  std::vector<std::uint64_t> shard_fetched;  // and their bytes
  double seconds_fold = 0;
};

/// What one rank brings home from a launch.
struct loop_result {
  std::vector<std::uint32_t> blocks;  // whose parts of reductions follow; as often as a block has pieces
  bytes partials;
  std::vector<failure> failures;  // none, or the first in serial order of this rank's
  counters work;
  std::vector<access_log> logs;      // of its lanes, where accesses are logged
  double seconds_lanes = 0;          // of the lane that took longest
  std::vector<float> block_seconds;  // by block, when the loop is timed
  std::vector<float> piece_seconds;  // by entry of `blocks`, or empty
  std::vector<batch_cost> batches;   // of a `sync` loop that is timed
};

/// What one lane did.
struct lane_clock {
  std::uint64_t iterations = 0;
  double seconds_compute = 0;
  double seconds_wait = 0;
  std::vector<std::uint64_t> ticks;  // of waves, by part, where these are timed: of the processor's counter
};

/// One rank among those that run the loop together; `net` may be null where there is one.
struct loop_place {
  launch_id launch{};
  rank_id self = 0;
  int ranks = 1;
  transport* net = nullptr;
  int lanes = 1;  // of this rank
  patience waiting{};
};

class running_loop {
 public:
  [[nodiscard]] launch_id id() const { return at_.launch; }
  /// Each throws error(errc::decode) for what this loop does not know.
  virtual void received(rank_id from, token t) = 0;
  virtual void received(rank_id from, moved_elements m) = 0;
  void received(const cancel& c) { stop_after(c.position); }
  /// What its lanes have added into accumulated containers.
  [[nodiscard]] const loop_deltas& deltas() const { return deltas_; }

 protected:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  running_loop(const loop_frame& frame, const loop_place& at);
  ~running_loop();

  /// A body threw at a place in the serial order. What comes before it still runs, so that the failure which
  /// is reported is the first in that order at any number of workers.
  void fail(failure f);
  /// The place behind which nothing runs any more, or none.
  [[nodiscard]] std::uint32_t stop_position() const { return stop_position_.load(std::memory_order_relaxed); }
  /// A lane's log.
  void keep(access_log log);
  /// Adds what the lanes did, the failure and the logs.
  void report(std::span<const lane_clock> lanes, loop_result& result);

  const loop_place at_;
  const std::unique_ptr<element_versions> versions_;  // where accesses are logged
  const loop_deltas deltas_;                          // per capture

 private:
  void stop_after(std::uint32_t position);

  std::atomic<std::uint32_t> stop_position_{none};
  mutex mutex_;
  std::vector<failure> failures_ GUARDED_BY(mutex_);
  std::vector<access_log> logs_ GUARDED_BY(mutex_);
};

}  // namespace stradsap::rt

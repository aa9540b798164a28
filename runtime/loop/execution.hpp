// Runs a plan. A block starts when each of its groups has been let go by the block before it in the serial
// order; there is no barrier inside a loop. Every order that the groups allow leaves the same bits.
//
// Deadlock freedom: each executor runs its blocks in serial order. The least unfinished block of the whole
// order is the first unfinished one of its executor, and every block before it at its groups is finished: it
// can run.
//
// Thread rule: run() on one thread a rank; received() on the network's thread.
#pragma once

#include <atomic>
#include <limits>
#include <memory>
#include <vector>

#include "runtime/base/mutex.hpp"
#include "runtime/loop/access_log.hpp"
#include "runtime/loop/executors.hpp"
#include "runtime/loop/frame.hpp"
#include "runtime/loop/plan.hpp"
#include "runtime/loop/running_loop.hpp"
#include "runtime/net/transport.hpp"

namespace stradsap::rt {

/// What one rank brings home from a launch.
struct loop_result {
  std::vector<std::uint32_t> blocks;  // whose parts of reductions follow
  bytes partials;
  std::vector<failure> failures;  // none, or the first in serial order of this rank's
  counters work;
  std::vector<access_log> logs;  // of its lanes, where accesses are logged
};

class execution final : public running_loop {
 public:
  /// `order` is a serial order of p's blocks. `net` may be null where there is one rank.
  execution(const loop_frame& frame, const plan& p, std::vector<std::uint32_t> order, launch_id id,
            rank_id self, transport* net);
  ~execution();
  execution(const execution&) = delete;
  execution& operator=(const execution&) = delete;

  /// Runs this rank's blocks and says who owns which group afterwards.
  [[nodiscard]] loop_result run(executors& lanes);

  [[nodiscard]] launch_id id() const override { return id_; }
  void received(rank_id from, token t) override;
  void received(rank_id from, moved_elements m) override;
  void received(rank_id, const cancel& c) override { stop_after(c.position); }

 private:
  class lane;
  friend class lane;
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  void link_blocks();
  void send_first_tokens();
  void pass_on(std::uint32_t block);
  void send_token(std::uint32_t token_number, std::uint32_t to_block);
  void satisfied(std::uint32_t block);
  void wait_for(std::uint32_t block);
  void stop_after(std::uint32_t position);
  void fail(failure f);
  void keep(access_log log);
  void settle_owners();

  const loop_frame& frame_;
  const plan& plan_;
  const std::vector<std::uint32_t> order_;
  const launch_id id_;
  const rank_id self_;
  transport* const net_;
  std::vector<std::uint32_t> position_;  // block -> place in the serial order
  std::vector<std::uint32_t> next_;      // by place in plan_.block_tokens: block that follows
  std::vector<std::uint32_t> first_;     // by token: its first block
  std::vector<std::uint32_t> last_;      // by token: its last block
  std::unique_ptr<std::atomic<std::uint32_t>[]> missing_;  // by block: groups that have not come yet
  std::vector<std::size_t> partial_offsets_;               // by capture, into a block's partials
  std::size_t partials_size_ = 0;
  bytes partials_;                            // by block of this rank
  std::vector<std::uint32_t> partial_place_;  // by block
  std::atomic<std::uint32_t> stop_position_{none};
  mutex mutex_;
  std::vector<failure> failures_ GUARDED_BY(mutex_);
  std::unique_ptr<element_versions> versions_;  // where accesses are logged
  std::vector<access_log> logs_ GUARDED_BY(mutex_);
};

}  // namespace stradsap::rt

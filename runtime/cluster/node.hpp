// One process of a run: its containers, plans and executors, and its part in every launch. The driver and
// each worker have one. Thread rule: perform() on the main thread of the process; received() on the network
// thread or a waiting one, one at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "runtime/base/mutex.hpp"
#include "runtime/base/options.hpp"
#include "runtime/cluster/hang_watch.hpp"
#include "runtime/dds/copies.hpp"
#include "runtime/loop/access/stretches.hpp"
#include "runtime/loop/accumulate/batch_memory.hpp"
#include "runtime/loop/accumulate/element_copies.hpp"
#include "runtime/loop/blocks/execution.hpp"
#include "runtime/loop/launch/executor_pool.hpp"
#include "runtime/loop/planner.hpp"
#include "runtime/net/delayed_delivery.hpp"
#include "runtime/net/exchange.hpp"
#include "runtime/net/transport.hpp"

namespace stradsap::rt {

struct clocked_loop;

/// The role of the process, driver or worker, as its node sees it.
class node_listener {
 public:
  virtual ~node_listener() = default;
  /// A message for the driver or the worker. Called as node::received().
  virtual void heard(rank_id from, message m) = 0;
  /// Called as node::received(). The run cannot go on without the peer.
  virtual void peer_lost(rank_id peer, const std::string& why) = 0;
  /// The ranks that the role waits for. Called by any thread.
  [[nodiscard]] virtual std::vector<awaited_rank> awaits() { return {}; }
  /// Called after a launch on a single rank, for a simulation.
  virtual void observe(const loop_frame&, const launch&, loop_result&) {}
};

class node final : public network_listener, watched_rank {
 public:
  /// Tests give it plans made by hand, which are as small as they need them.
  node(const options& o, node_listener& role, plan_maker plans = make_plan);
  ~node();
  node(const node&) = delete;
  node& operator=(const node&) = delete;

  /// Meets the other ranks, if there are any. Throws error(errc::cluster).
  void join(const connector& connect = connect_zmq);
  /// From now on a run without progress is reported. After join().
  void watch_for_hangs();
  /// Null before watch_for_hangs().
  [[nodiscard]] hang_watch* watch() { return watching_; }

  /// Runs this rank's part of a launch, from the driver's changes to the new owners. Never throws: the result
  /// has the failures. `values`: the captured values, on the driver; null on other ranks, which receive them.
  [[nodiscard]] done perform(const launch& l, const captured_values* values = nullptr);
  /// On the only rank: the stretches of all iterations of a short loop, for a plan in this launch.
  void know_runs(launch_id of, std::vector<stretch_run> runs) { known_runs_ = {of, std::move(runs)}; }
  /// On the driver, instead of perform(): begins and ends a launch of which the driver runs its part by steps
  /// of ranks(). begin_part() throws error.
  void begin_part(const launch& l);
  void end_part(launch_id id);
  [[nodiscard]] exchange& ranks() { return *ranks_; }
  /// Runs this rank's part of a recall. Throws error.
  void perform(const recall& r);
  /// Ends a loop under consistency::stale. Returns the error of a merge, which all ranks find, or null.
  [[nodiscard]] std::exception_ptr perform(const fold_clocks& f);
  /// The histories of merge::adaptive, the same on all ranks, in a checkpoint; and those from one. Throws
  /// error(errc::decode).
  void save_scales(abi::writer& out) const { batch_memory_.save_scales(out); }
  void perform(const resumed_scales& s);

  [[nodiscard]] const options& settings() const { return options_; }
  [[nodiscard]] copy_service& copies() { return copies_; }
  [[nodiscard]] transport* net() { return net_.get(); }
  [[nodiscard]] copies_store& store() { return store_; }
  [[nodiscard]] executor_pool& pool();
  [[nodiscard]] wait_policy waiting() const { return waiting_; }
  /// Counts the iterations of the running loop on this rank.
  [[nodiscard]] work_counter& work() { return work_; }
  /// The plan of a launch; null if it needed none.
  [[nodiscard]] const plan* plan_of(plan_id id) const;

  void received(rank_id from, message m) override;
  void peer_lost(rank_id peer, const std::string& why) override { role_.peer_lost(peer, why); }

 private:
  void apply_changes(const abi::loop_entry& entry, const launch& l);
  [[nodiscard]] loop_frame frame_of(const abi::loop_entry& entry, const launch& l, captured_values values);
  void restore_canonical_layout(replica& local);
  void restore_inputs(const loop_frame& f, const launch& l, bool in_batches);
  loop_result run(const loop_frame& f, const launch& l);
  std::uint64_t make_new_plan(const planning& p);
  loop_result run_planned(const planning& p, const launch& l);
  loop_result run_in_rounds(const planning& p, plan& made, std::vector<std::uint32_t>& order, loop_place at);
  loop_result run_delayed(const planning& p, plan& made, const std::vector<std::uint32_t>& order,
                          const std::vector<std::vector<std::uint32_t>>& rounds, loop_place at);
  loop_result run_dynamic(const planning& p, const launch& l);
  [[nodiscard]] clocked_loop& begin_clocks(const planning& p, const launch& l);
  [[nodiscard]] clocked_loop* clocks_of(launch_id loop);
  loop_result run_clock(const planning& p, const launch& l);
  loop_result run_clock(const planning& p, const launch& l, clocked_loop& loop);
  void broadcast_inputs(const loop_frame& f, const launch& l);
  void hold_inputs(const loop_frame& f, const plan& p);
  void hold_read(const loop_frame& f, const plan& p);
  template <class Execution> loop_result run_known(Execution& loop);
  void hand_over(rank_id from, message m) REQUIRES(mutex_);
  [[nodiscard]] std::uint64_t progress() const override { return work_.sum() + messages_; }
  [[nodiscard]] bool is_planning() const override { return work_.now().stage == work_stage::planning; }
  [[nodiscard]] std::vector<awaited_rank> awaits() override;

  const options options_;
  node_listener& role_;
  const plan_maker make_plan_;
  work_counter work_;
  wait_policy waiting_;  // with other ranks: a waiting thread polls for their messages
  copy_service copies_;
  batch_memory batch_memory_;
  copies_store store_;
  kept_values values_;                         // on ranks other than the driver
  std::unique_ptr<delayed_delivery> delayed_;  // if the options delay messages
  std::unique_ptr<transport> net_;
  std::unique_ptr<exchange> ranks_;
  std::unique_ptr<executor_pool> pool_;
  std::map<plan_id, plan> plans_;
  std::pair<launch_id, std::vector<stretch_run>> known_runs_{};
  mutex mutex_;
  std::map<launch_id, std::unique_ptr<clocked_loop>> clocked_ GUARDED_BY(mutex_);
  running_loop* running_ GUARDED_BY(mutex_) = nullptr;
  std::vector<std::pair<rank_id, message>> early_ GUARDED_BY(mutex_);  // of launches not begun here
  std::atomic<std::uint64_t> messages_{0};                             // received
  std::atomic<hang_watch*> watching_{nullptr};                         // watch_, once it is made
  std::unique_ptr<hang_watch> watch_;                                  // last: its thread calls the rest
};

}  // namespace stradsap::rt

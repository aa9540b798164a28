// Rank 0: runs the program's main, owns the containers of its handles, starts loops and folds their
// reductions. Thread rule: main thread; heard() as node::received().
#pragma once

#include <atomic>
#include <map>
#include <optional>
#include <thread>
#include <vector>

#include "runtime/cluster/node.hpp"
#include "runtime/loop/launch/launch_request.hpp"
#include "runtime/loop/plan/share_balance.hpp"
#include "runtime/loop/transactions/transactions.hpp"
#include "runtime/observe/run_stats.hpp"
#include "runtime/observe/simulation.hpp"

namespace stradsap::rt {

class driver final : public node {
 public:
  explicit driver(const options& o);
  ~driver() override;

  /// Creates a container; destroy() removes it from all ranks with the next launch.
  [[nodiscard]] abi::handle_target* create(const abi::element_ops& ops, std::uint64_t n,
                                           std::unique_ptr<abi::key_index> keys);
  void destroy(const abi::handle_target* dead);
  /// Runs the loop to its end on all ranks. Throws loop_error or error.
  void run(launch_request request);
  /// The key of the next launch. Every way of running a loop takes one, in program order.
  [[nodiscard]] abi::launch_key next_launch();

 private:
  void heard(rank_id from, message m) override;
  void peer_lost(rank_id peer, const std::string& why) override;
  void observe(const loop_frame& f, const launch& l, loop_result& result) override;

  /// The inputs of a kept plan: versions, values, cuts. The plan holds while they stay the same.
  struct plan_key {
    std::vector<std::uint64_t> parts;
    std::vector<std::uint64_t> aligned;  // versions of the elements in plan layout
    std::uint64_t pass = 0;
    std::uint64_t uses = 0;  // calls since the plan was made
    std::vector<container_id> containers;
    launch_id last_use{};
    double seconds_plan = 0;  // the time to make it
  };
  /// The calls so far of a loop that adds into dmaps.
  struct adding_calls {
    std::vector<std::uint64_t> places;  // inputs of the subscripts at the last call
    std::uint64_t alike = 0;            // calls in a row with these inputs
    bool cuts_badly = false;            // a plan left too little parallelism
    std::vector<container_id> containers;
    std::uint32_t last = 0;
  };
  [[nodiscard]] adding_calls& count_call(const launch_request& r);
  [[nodiscard]] std::vector<plan_id> forget_plans(const std::vector<container_id>& destroyed);
  [[nodiscard]] plan_id plan_id_of(const launch_request& r) const;
  [[nodiscard]] std::vector<std::uint64_t> key_parts(const launch_request& r) const;
  [[nodiscard]] std::vector<std::uint64_t> aligned_versions(const launch_request& r) const;
  [[nodiscard]] bool keeps_plan(const launch_request& r) const;
  [[nodiscard]] bool has_plan(const launch_request& r) const;

  void refuse_other_threads() const;
  void send_recall(container_store& store);
  void run_adding(launch_request& r, const abi::launch_key& key);
  [[nodiscard]] int num_executors() const;
  [[nodiscard]] std::uint32_t map_accumulators() const;
  [[nodiscard]] const char* why_alone(const launch_request& r) const;
  void run_here(const launch_request& r, const abi::launch_key& key);
  void run_transactions(const launch_request& r, const abi::launch_key& key);
  void run_everywhere(const launch_request& r, const abi::launch_key& key);
  [[nodiscard]] launch describe(const launch_request& r, const abi::launch_key& key);
  [[nodiscard]] std::vector<std::uint32_t> to_broadcast(const launch_request& r) const;
  void set_shares(const launch_request& r, launch& l) const;
  [[nodiscard]] bool is_repartitioned(plan_id plan, const std::vector<std::uint64_t>& shares) const;
  [[nodiscard]] share_balance& balance_for(std::uint64_t key, std::uint64_t n, int ranks,
                                           int executors_per_rank);
  void balance(const launch_request& r, const launch& l, const std::vector<done>& parts);
  void balance_waves(const plan& p, const launch& l, const std::vector<done>& parts);
  void balance_shards(const launch& l, const std::vector<done>& parts);
  [[nodiscard]] std::vector<done> gather(launch_id id, done mine);
  void fold_reductions(const launch_request& r, const std::vector<done>& parts) const;
  void note_writes(const launch_request& r);
  void record(const launch_request& r, plan_id id, const std::vector<done>& parts,
              const transactions_end* rounds = nullptr);
  /// Throws the exception of a body.
  [[noreturn]] static void rethrow(const char* site, const failure& f);

  void tell_predictions();

  run_stats stats_;
  std::optional<simulation> simulation_;
  std::optional<process_watch> process_;  // null on one rank
  std::uint32_t next_container_ = 0;
  std::uint32_t launches_ = 0;
  std::uint32_t recalls_ = 0;                // since the last launch
  std::atomic<std::thread::id> running_in_;  // thread of the running loop
  std::vector<container_id> destroyed_;
  std::map<plan_id, plan_key> kept_;
  std::map<plan_id, adding_calls> adding_;
  std::map<std::uint64_t, share_balance> balances_;  // by plan, or by the number of iterations
  mutex mutex_;
  notification notification_;
  std::vector<std::pair<rank_id, done>> done_ GUARDED_BY(mutex_);
};

}  // namespace stradsap::rt

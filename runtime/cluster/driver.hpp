// Rank 0: runs the program's main, owns the containers of its handles, starts loops and folds their
// reductions. Thread rule: main thread; heard() as node::received().
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "runtime/cluster/checkpoints.hpp"
#include "runtime/cluster/clocked_calls.hpp"
#include "runtime/cluster/executor_pace.hpp"
#include "runtime/cluster/late_sending.hpp"
#include "runtime/cluster/load_balancer.hpp"
#include "runtime/cluster/loop_advice.hpp"
#include "runtime/cluster/map_additions.hpp"
#include "runtime/cluster/node.hpp"
#include "runtime/cluster/plan_cache.hpp"
#include "runtime/cluster/range_plans.hpp"
#include "runtime/cluster/range_repeats.hpp"
#include "runtime/dds/driver_handle.hpp"
#include "runtime/loop/launch/executor_pool.hpp"
#include "runtime/loop/launch/launch_request.hpp"
#include "runtime/loop/plan/survey.hpp"
#include "runtime/loop/transactions/transactions.hpp"
#include "runtime/loop/waves/wave_pace.hpp"
#include "runtime/observe/alarms.hpp"
#include "runtime/observe/metrics.hpp"
#include "runtime/observe/parallel_curve.hpp"
#include "runtime/observe/progress.hpp"
#include "runtime/observe/run_stats.hpp"
#include "runtime/observe/simulation.hpp"

namespace stradsap::rt {

class driver final : public node_listener {
 public:
  explicit driver(const options& o);
  ~driver() override;

  /// See node::join(), node::watch_for_hangs().
  void join() { node_.join(); }
  void watch_for_hangs() { node_.watch_for_hangs(); }

  /// Creates a container; destroy() removes it from all ranks with the next launch.
  [[nodiscard]] abi::handle_target* create(const abi::element_ops& ops, std::uint64_t n,
                                           std::unique_ptr<abi::key_index> keys);
  void destroy(const abi::handle_target* dead);
  /// Runs the loop to its end on all ranks. Throws loop_error or error.
  void run(const abi::loop_call& call);
  /// See abi::catch_up() and abi::let_go().
  void catch_up(const void* value);
  void let_go(const void* value);
  /// See stradsap::report(). Throws error(errc::unsupported) for a name that is refused.
  void report(std::span<const abi::reported_value> values, const std::source_location& where);
  /// Operations of the library may be within each other; the outermost is shown and measured.
  void begin_operation(std::string_view name, std::string_view unit, std::uint64_t total);
  void end_operation();
  [[nodiscard]] progress& shown() { return progress_; }
  void request_checkpoints(const abi::checkpoint_request& how);
  [[nodiscard]] checkpoints& saved() { return checkpoints_; }
  /// The program is at a save point, FILE:LINE: folds all calls under consistency::stale; saves the program
  /// if this is due; gives a resumed one its saved elements. Throws error.
  void reach_save_point(const std::string& place);
  /// The key of the next launch. Every way of running a loop takes one, in program order.
  [[nodiscard]] abi::launch_key next_launch();

 private:
  void run(const launch_request& request);
  void heard(rank_id from, message m) override;
  void peer_lost(rank_id peer, const std::string& why) override;
  void observe(const loop_frame& f, const launch& l, loop_result& result) override;
  [[nodiscard]] std::vector<awaited_rank> awaits() override;

  [[nodiscard]] const options& settings() const { return node_.settings(); }
  void refuse_other_threads() const;
  void send_recall(const replica& local);
  [[nodiscard]] std::uint32_t next_step_of_recalls();
  [[nodiscard]] const char* why_alone(const launch_request& r) const;
  [[nodiscard]] const char* why_never_by_waves(const launch_request& r) const;
  /// The way of a loop with computed places. A sample decides at the first call, for all calls on the same
  /// containers. Blocks are judged again whenever they are planned.
  struct chosen_route {
    loop_route route;
    wave_pace pace;   // of the route by waves
    std::string why;  // it runs in program order, or may do so; empty if it is the only way
    std::uint32_t large_accumulators = 0;  // of the route by additions
    bool has_choice = false;               // waves would give the bits of program order
    bool may_change = false;               // from blocks to waves, if plans often move
    int moves = 0;                         // calls in a row that found a plan with other inputs.
    /// Chooses between program order and all iterations side by side, if hardly any of the sample meet.
    std::optional<wave_pace> disjoint = {};
    /// Searches that found iterations that meet.
    int searches_in_vain = 0;
    /// Calls before the next search.
    int calls_until_search = 0;
    /// It comes from a checkpoint.
    bool has_no_pace = false;
    /// The pace assumes that all executors find work: to sample the loop may take longer than to run it.
    bool is_unsurveyed = false;
  };
  [[nodiscard]] chosen_route& route_of(const resolved_request& r, const abi::launch_key& key);
  void find_pace(const resolved_request& r, const abi::launch_key& key, chosen_route& chosen);
  void survey_pace(const resolved_request& r, const abi::launch_key& key, chosen_route& chosen);
  bool survey_as_stretches(const resolved_request& r, const loop_frame& f, const abi::launch_key& key,
                           chosen_route& chosen);
  [[nodiscard]] chosen_route surveyed_route(const resolved_request& r, const abi::launch_key& key);
  /// Whether another route gives bits that do not depend on the clock.
  [[nodiscard]] static bool may_leave_blocks(const resolved_request& r, const chosen_route& chosen);
  /// For waves or, where a body would round apart, for program order.
  static void leave_blocks(const resolved_request& r, chosen_route& chosen, const char* why);
  void leave_moved_blocks(const resolved_request& r, chosen_route& chosen) const;
  void survey_moved_blocks(const resolved_request& r, const abi::launch_key& key, chosen_route& chosen);
  void run_blocks_while_worthwhile(const resolved_request& r, const abi::launch_key& key,
                                   chosen_route& chosen);
  static void try_additions(const resolved_request& r, std::uint32_t accumulators, chosen_route& chosen);
  /// `why`: the reason to run it alone, for the simulation.
  void run_here(const launch_request& r, const abi::launch_key& key, const char* why);
  [[nodiscard]] bool fills_empty_maps(const resolved_request& r, const abi::launch_key& key);
  /// For nearly all iterations in conflict; `why`: the reason, for the user.
  [[nodiscard]] bool is_advised(const launch_request& r) const;
  void run_in_order(const launch_request& r, const abi::launch_key& key, const std::string& why);
  void run_transactions(const launch_request& r, const abi::launch_key& key);
  class dynamic_ranks;
  void run_dynamic(const launch_request& r, const abi::launch_key& key);
  /// Warns of rounds that are too long for sums of fractions. Throws error(errc::unsupported) if they are far
  /// too long.
  void judge_rounds(const launch_request& r, const abi::launch_key& key);
  /// A call under consistency::stale returns when this rank has ended it.
  void run_clock(const launch_request& r, const abi::launch_key& key);
  [[nodiscard]] launch describe_clock(const launch_request& r, const abi::launch_key& key,
                                      const clocked_calls* before);
  clocked_calls& note_first_clock(const launch_request& r, const launch& l);
  /// Waits for the ranks' parts of the first call that is not known to have ended, and folds its reductions.
  void end_first_call(clocked_calls& of);
  /// Those of numbers that the call folds into, unless it goes on with the calls that they wait for.
  void catch_up_before(const launch_request& r);
  /// Folds all calls of the loop into its containers. Throws the exception of the first one that failed.
  void settle(clocked_calls& of);
  /// Those of other loops that write containers of this one.
  void settle_before(const launch_request& r);
  /// Those of loops over the container, at its end; nobody could catch an exception.
  void settle_at_end(container_id id);
  void await_end(clocked_call& call);
  void keep_call(clocked_call& call, const abi::loop_entry& entry);
  void run_planned(resolved_request r, const abi::launch_key& key);
  /// The times of a launch.
  struct launch_times {
    double plan;
    double compute;  // of all executors together
  };
  launch_times run_ranges_here(const resolved_request& r, const abi::launch_key& key, int num_executors);
  /// Keeps the loop for later calls, if one thread ran it and it is short.
  void keep_repeat(const resolved_request& r, const loop_frame& f, const plan& made, const done& d);
  launch_times run_again(const launch_request& r, const abi::launch_key& key, range_repeats::repeat& known);
  [[nodiscard]] bool is_in_ranges(const resolved_request& r) const;
  [[nodiscard]] bool may_run_here(const resolved_request& r) const;
  /// Whether --simulate predicts the loop: input and output are not simulated.
  [[nodiscard]] bool is_simulated(const abi::loop_entry& loop) const {
    return simulation_.has_value() && (loop.flags & abi::of_library) == 0;
  }
  /// Run on all executors, or on some of this rank if that is faster.
  void run_blocks(const resolved_request& r, const abi::launch_key& key);
  void run_as_stretches(const resolved_request& r, const abi::launch_key& key);
  void run_additions(const resolved_request& r, const abi::launch_key& key);
  void keep_ranges(const resolved_request& r, const plan& made, const done& d, int num_executors);
  [[nodiscard]] bool may_send_late(const resolved_request& r) const;
  [[nodiscard]] late_sending* find_late(const resolved_request& r, bool is_new, int few);
  void run_and_send_late(const resolved_request& r, const abi::launch_key& key, int few, late_sending& late);
  void run_by_pace(const resolved_request& r, const abi::launch_key& key, int few,
                   const std::function<launch_times()>& run_on_all);
  void run_adding(const resolved_request& r, const abi::launch_key& key);
  /// The rest of a loop, of which some iterations have run here.
  struct rest_of_loop {
    std::int64_t first;                // iterations before it have run
    std::uint64_t iteration_work = 0;  // see `launch`
    bool as_waves = false;
    const done* before = nullptr;  // of these iterations, if their sums are not folded yet
  };
  launch_times run_everywhere(const resolved_request& r, const abi::launch_key& key,
                              const std::optional<rest_of_loop>& rest = std::nullopt);
  void run_in_place_or_by_waves(const resolved_request& r, const abi::launch_key& key, chosen_route& chosen);
  /// Both begin with iteration `first` and return the number of iterations that have run now.
  std::int64_t run_in_place(const resolved_request& r, const abi::launch_key& key, std::int64_t first,
                            wave_pace& pace);
  std::int64_t run_in_place_or_disjoint(const resolved_request& r, const abi::launch_key& key,
                                        chosen_route& chosen);
  /// Runs the iterations from `first` on side by side on the elements, if no two of the loop's iterations
  /// meet. Else runs none and returns false.
  bool run_disjoint(const resolved_request& r, const abi::launch_key& key, std::int64_t first,
                    wave_pace& pace);
  [[nodiscard]] bool may_be_disjoint(const resolved_request& r, const loop_frame& f) const;
  static void fold_reductions(const launch_request& r, std::span<const done> parts,
                              const done* before = nullptr) {
    fold_reductions(*r.entry, r.reductions, parts, before);
  }
  /// `into`: by capture, or null.
  static void fold_reductions(const abi::loop_entry& entry, std::span<void* const> into,
                              std::span<const done> parts, const done* before);
  static void add_plan(launch_record& record, const plan& p, const resolved_request& r);
  void keep_alone(const launch_request& r, const done& d);
  [[nodiscard]] launch describe(const resolved_request& r, const abi::launch_key& key);
  [[nodiscard]] launch describe_call(const launch_request& r, const abi::launch_key& key);
  void send_values(const launch_request& r, launch& l);
  [[nodiscard]] static std::vector<std::uint32_t> to_broadcast(const resolved_request& r);
  [[nodiscard]] std::vector<done> gather(launch_id id, done mine);
  void await_others(launch_id id, std::vector<done>& parts);
  /// The failure at the lowest position of the serial order, or null.
  [[nodiscard]] static const failure* first_failure(const std::vector<done>& parts);
  /// `executors`: that ran it, of all ranks.
  [[nodiscard]] launch_record new_record(const launch_request& r, std::span<const done> parts,
                                         int executors) const;
  static void add_parts(launch_record& record, std::span<const done> parts, const abi::loop_entry& entry);
  void keep(const launch_record& record, const launch_request& r);
  void note_holdings(const launch_request& r);
  /// Throws the exception of a body.
  [[noreturn]] static void rethrow(const char* site, const failure& f);

  void save();
  void refuse_moved_containers(const std::string& place);
  void save_history(abi::writer& out) const;
  void refuse_other_containers(const whole_checkpoint& from) const;
  void resume(const whole_checkpoint& from);
  void resume_history(const whole_checkpoint& from, abi::reader& in);

  void tell_predictions();
  void simulate_parallel(const launch_request& r, const dynamic_loop& loop);
  void tell_summary() const;

  run_stats stats_;
  alarms alarms_;
  metrics metrics_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point launch_start_;
  double seconds_survey_ = 0;  // of the launch
  std::string operation_;      // the outermost
  std::chrono::steady_clock::time_point operation_start_;
  int operations_ = 0;  // that have begun
  std::optional<simulation> simulation_;
  parallel_curves curves_;
  bool has_run_free_ = false;             // some dynamic loop
  std::optional<process_watch> process_;  // null on one rank
  std::map<container_id, std::unique_ptr<driver_handle>> handles_;
  std::map<const abi::window*, container_id> homes_;  // variables of containers, by save points
  std::uint32_t next_container_ = 0;
  std::uint32_t launches_ = 0;
  std::uint32_t recalls_ = 0;                // since the last launch
  std::atomic<std::thread::id> running_in_;  // thread of the running loop
  std::vector<container_id> destroyed_;
  const int num_executors_;         // of all ranks; in a simulation, of the simulated ranks
  executor_pool driver_thread_{1};  // for loops on this thread alone
  plan_cache plans_;
  range_plans range_plans_;
  range_repeats repeats_;
  std::unique_ptr<launch_request> last_request_;  // its memory serves the next call; null within one
  loop_advice advice_;
  sent_values sent_values_;
  std::map<plan_id, chosen_route> routes_;
  std::map<std::uint64_t, std::int64_t> judged_rounds_;  // the longest one without an error, by loop
  map_additions additions_;
  std::map<plan_id, executor_pace> paces_;
  std::map<const abi::loop_entry*, late_sending> late_;
  std::map<const abi::loop_entry*, transaction_pace> transactions_;
  load_balancer balancer_;
  checkpoints checkpoints_;
  std::vector<std::unique_ptr<clocked_calls>> clocked_;
  mutex mutex_;
  notification notification_;
  std::atomic<bool> is_ending_{false};
  std::vector<std::pair<rank_id, done>> done_ GUARDED_BY(mutex_);
  const std::vector<done>* awaited_parts_ GUARDED_BY(mutex_) = nullptr;  // while it waits for some
  launch_id awaited_ GUARDED_BY(mutex_){};
  node node_;          // its network thread calls the rest
  progress progress_;  // looks at the node's counts
};

}  // namespace stradsap::rt

// Loops in ranges without conflicts: where they run is chosen by time, on all executors or on some of the
// driver's rank. Thread rule: main thread.
#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "runtime/base/elapsed.hpp"
#include "runtime/base/faults.hpp"
#include "runtime/cluster/driver.hpp"
#include "runtime/cluster/launch_here.hpp"
#include "runtime/loop/access/iteration_check.hpp"
#include "runtime/loop/blocks/disjoint_planner.hpp"
#include "runtime/loop/blocks/execution.hpp"
#include "runtime/loop/blocks/range_pieces.hpp"
#include "runtime/loop/planner.hpp"
#include "runtime/observe/launch_proof.hpp"

namespace stradsap::rt {

namespace {

/// Executors of this rank run ranges of iterations, all or some at a time. They add into accumulators; of
/// large containers, the first one is the container itself.
class ranges_here {
 public:
  ranges_here(const resolved_request& r, const abi::launch_key& key, node& on, executor_pool& pool,
              int num_executors, range_plans& plans)
      : ranges_here(r, key, on, pool, num_executors, plans, body_copy::fastest, make_plan) {}

  /// For iterations that never meet, unless made() tells that some do.
  ranges_here(const resolved_request& r, const abi::launch_key& key, node& on, range_plans& plans)
      : ranges_here(r, key, on, on.pool(), on.pool().size(), plans, body_copy::movable, plan_if_disjoint) {}

  [[nodiscard]] loop_frame& frame() { return here_.frame(); }
  [[nodiscard]] exchange& alone() { return alone_; }
  [[nodiscard]] const plan& made() const { return made_; }
  [[nodiscard]] double seconds_plan() const { return done_.work.seconds_plan; }
  [[nodiscard]] bool is_planned_now() const { return done_.work.planned; }
  /// The iterations before it have run.
  [[nodiscard]] std::int64_t ran() const { return ran_; }

  /// Runs the iterations from `begin` to `end`, or to the end of a block beyond it: the bits of some sums
  /// depend on blocks. The partial sums are in result().
  loop_result run(std::int64_t begin, std::int64_t end) {
    frame().first = begin;
    frame().end = ran_ = can_cut_blocks_ ? end : end_of_block(end);
    const plan& runs = runs_joined() ? *made_.joined : made_;
    execution loop(frame(), runs, runs.order, place_);
    loop_result part = loop.run(pool_);
    fold_deltas(planning_, made_, loop.deltas());
    append(done_.blocks, part.blocks);
    append(done_.partials, part.partials);
    append(done_.summed, part.summed);
    done_.work.seconds_compute += part.work.seconds_compute;
    done_.work.seconds_wait += part.work.seconds_wait;
    if (place_.executors == 1) made_.seconds_compute = part.work.seconds_compute;
    return part;
  }

  /// The sums and times of the iterations that ran.
  [[nodiscard]] done result() {
    const done all = here_.result(node_.net());
    done_.work.bytes_sent = all.work.bytes_sent;
    done_.work.bytes_received = all.work.bytes_received;
    done_.work.iterations = static_cast<std::uint64_t>(ran());
    return std::move(done_);
  }

 private:
  ranges_here(const resolved_request& r, const abi::launch_key& key, node& on, executor_pool& pool,
              int num_executors, range_plans& plans, body_copy copy, plan (*make)(const planning&))
      : here_(r.call, key, on.work(), r.map_accumulators, r.large_accumulators),
        node_(on),
        pool_(pool),
        place_{.launch = launch_id{key.number},
               .executors = num_executors,
               .waiting = on.waiting(),
               .store = on.store(),
               .copy = copy},
        site_(here_.frame().site.c_str()),
        alone_(driver_rank, 1, nullptr, on.waiting()),
        planning_{here_.frame(), on.copies(), pool, alone_, r.plan},
        made_(plans.find(r, num_executors, [this, make] {
          refuse_second_names(frame());
          done_.work.planned = true;
          plan made = make(planning_);
          made.longest = longest_queue(made);
          if (place_.executors == 1) made.joined = join_blocks(frame(), made);
          return made;
        })) {
    frame().adds_in_place = r.large_accumulators != 0;
    frame().logs_accesses = on.settings().check_conflicts && is_checked(frame());
    can_cut_blocks_ = may_cut_blocks(frame(), made_);
    done_.work.seconds_plan = seconds_since(start_);
  }

  /// A plan without blocks if some iterations meet.
  static plan plan_if_disjoint(const planning& in) {
    std::optional<plan> made = make_disjoint_plan(in);
    return made ? std::move(*made) : plan();
  }

  /// Whether one block runs instead of all. Not if the last launch was long: progress counts blocks.
  [[nodiscard]] bool runs_joined() const {
    constexpr double most_seconds = 5e-3;
    return can_cut_blocks_ && made_.joined != nullptr && made_.seconds_compute >= 0 &&
           made_.seconds_compute < most_seconds;
  }
  template <class T> static void append(std::vector<T>& to, std::vector<T>& more) {
    if (to.empty()) return to.swap(more);
    to.insert(to.end(), more.begin(), more.end());
  }
  [[nodiscard]] std::int64_t end_of_block(std::int64_t end) const {
    for (const plan_block& b : made_.blocks) {
      const auto end_of = static_cast<std::int64_t>(b.begin + b.count);
      if (end_of >= end) return end_of;
    }
    return end;
  }

  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  launch_here here_;
  node& node_;
  executor_pool& pool_;
  const loop_place place_;
  const running_site site_;
  exchange alone_;
  const planning planning_;
  done done_;
  plan& made_;
  bool can_cut_blocks_ = false;
  std::int64_t ran_ = 0;
};

}  // namespace

/// Whether the loop runs in ranges without conflicts, and nobody looks at them.
bool driver::is_in_ranges(const resolved_request& r) const {
  if (settings().check_conflicts || simulation_) return false;
  return !r.lists_iterations && r.call.relaxed.empty() &&
         r.call.model.which() == ConsistencyModel::kind::async;
}

/// Whether the loop's elements also come here soon enough for a try on few executors.
bool driver::may_run_here(const resolved_request& r) const {
  constexpr std::uint64_t most_elsewhere = std::uint64_t{4} << 20;
  if (num_executors_ == 1 || !settings().in_place || !is_in_ranges(r)) return false;
  std::uint64_t elsewhere = 0;
  for (std::size_t c = 0; c < r.call.containers.size(); ++c) {
    if (r.call.containers[c] == nullptr) continue;
    const usage use = r.uses.by_capture[c];
    const replica& local = r.call.containers[c]->local();
    const std::uint64_t size_bytes = local.size() * local.ops().size;
    if (use == usage::owned) return false;
    if (local.plan_layout() || !local.all_held()) elsewhere += size_bytes;
  }
  return elsewhere <= most_elsewhere;
}

void driver::run_blocks(const resolved_request& r, const abi::launch_key& key) {
  if (num_executors_ == 1 && is_in_ranges(r)) return void(run_ranges_here(r, key, 1));  // no choice
  const int few = settings().world_size == 1 ? 1 : settings().threads;
  run_by_pace(r, key, few, [&] { return run_everywhere(r, key); });
}

void driver::run_additions(const resolved_request& r, const abi::launch_key& key) {
  if (!r.call.relaxed.empty()) return void(run_everywhere(r, key));      // in rounds
  if (settings().threads == 1) return void(run_ranges_here(r, key, 1));  // no choice
  run_by_pace(r, key, 1, [&] { return run_ranges_here(r, key, settings().threads); });
}

/// Time decides, but no bit: ranges, accumulators and the order of their fold do not depend on executors.
void driver::run_by_pace(const resolved_request& r, const abi::launch_key& key, int few,
                         const std::function<launch_times()>& run_on_all) {
  if (!may_run_here(r)) return void(run_on_all());
  constexpr std::size_t most_paces = 256;
  if (paces_.size() > most_paces) paces_.clear();  // of containers that are gone
  const auto [found, is_new] = paces_.try_emplace(r.kind);
  if (late_sending* late = find_late(r, is_new, few)) return run_and_send_late(r, key, few, *late);
  executor_pace& pace = found->second;
  const auto start = std::chrono::steady_clock::now();
  if (pace.begin(std::chrono::duration<double>(start.time_since_epoch()).count()))
    return void(run_ranges_here(r, key, few));
  const launch_times took = run_on_all();
  pace.ran_everywhere(seconds_since(start) - took.plan, took.compute / few);
}

/// A record of a loop that ran here.
void driver::keep_ranges(const resolved_request& r, const plan& made, const done& d, int num_executors) {
  launch_record record = new_record(r.call, {&d, 1}, num_executors);
  add_plan(record, made, r);
  for (const std::size_t c : r.uses.too_large) record.too_large.emplace_back(r.call.entry->captures[c].name);
  keep(record, r.call);
}

driver::launch_times driver::run_ranges_here(const resolved_request& r, const abi::launch_key& key,
                                             int num_executors) {
  if (range_repeats::repeat* const known = num_executors == 1 ? repeats_.find(r.call) : nullptr)
    return run_again(r.call, key, *known);
  ranges_here loop(r, key, node_, num_executors == 1 ? driver_thread_ : node_.pool(), num_executors,
                   range_plans_);
  std::optional<launch_proof> proof;
  if (loop.frame().logs_accesses) proof.emplace(loop.frame(), loop.alone());
  loop_result result = loop.run(0, r.call.n);
  if (proof) proof->verify(loop.made().order, result, settings().order_path);
  if (!result.failures.empty()) rethrow(r.call.site, result.failures.front());
  const done d = loop.result();
  fold_reductions(r.call, {&d, 1});
  keep_ranges(r, loop.made(), d, num_executors);
  if (num_executors == 1) keep_repeat(r, loop.frame(), loop.made(), d);
  if (is_simulated(*r.call.entry))
    simulation_->ran_alone(r.call, key, d.work.seconds_compute, "a loop that adds into large containers");
  return {d.work.seconds_plan, d.work.seconds_compute};
}

// ---- iterations that never meet ----

/// Lets the containers that steer the loop note all later writes of the program, also those through an open
/// window: the plan that has just been made or kept depends on their elements.
static void note_later_writes(const resolved_request& r) {
  watch_inputs(r);
  for (std::size_t c = 0; c < r.call.containers.size(); ++c) {
    if (r.call.containers[c] == nullptr || (r.call.entry->captures[c].mode & abi::steers) == 0) continue;
    r.call.containers[c]->await_write();
    r.call.containers[c]->reopen(/*versions_matter=*/true, /*is_alone=*/false);
  }
}

bool driver::run_disjoint(const resolved_request& r, const abi::launch_key& key, std::int64_t first,
                          wave_pace& pace) {
  const auto start = std::chrono::steady_clock::now();
  ranges_here loop(r, key, node_, range_plans_);
  note_later_writes(r);
  if (!loop.made().is_disjoint) {
    seconds_survey_ += seconds_since(start);
    return false;
  }
  const loop_result result = loop.run(first, r.call.n);
  if (!result.failures.empty()) rethrow(r.call.site, result.failures.front());
  const double seconds_plan = loop.is_planned_now() ? loop.seconds_plan() : 0;
  const done d = loop.result();
  fold_reductions(r.call, {&d, 1});
  keep_ranges(r, loop.made(), d, settings().threads);
  pace.ran_waves(r.call.n - first, seconds_since(start), seconds_plan);
  return true;
}

// ---- large captured values that the other ranks lack ----

/// Whether some iterations may run here and the others on all ranks, with elements that move soon.
bool driver::may_send_late(const resolved_request& r) const {
  constexpr std::uint64_t most_written = std::uint64_t{4} << 20;
  constexpr std::int64_t least_iterations = 4;  // for each rank
  if (settings().world_size == 1 || r.call.n < least_iterations * settings().world_size) return false;
  std::uint64_t written = 0;
  for (std::size_t c = 0; c < r.call.containers.size(); ++c) {
    if (r.call.containers[c] == nullptr || !is_written(r.call.entry->captures[c])) continue;
    const replica& local = r.call.containers[c]->local();
    written += local.size() * local.ops().size;
    if (r.uses.by_capture[c] == usage::accumulated) return false;
  }
  return written <= most_written;
}

/// The state of a loop that has not sent its values yet, or null. `is_new`: its first call on these
/// containers.
late_sending* driver::find_late(const resolved_request& r, bool is_new, int few) {
  const auto found = late_.find(r.call.entry);
  if (found != late_.end()) return may_send_late(r) ? &found->second : nullptr;
  constexpr std::uint64_t least = late_sending::least_bytes;
  if (!is_new || !may_send_late(r) || sent_values_.count_lacking(r.call, least) <= least) return nullptr;
  const double share = 1 - static_cast<double>(few) / num_executors_;
  return &late_.try_emplace(r.call.entry, share).first->second;
}

/// Runs the loop here until a call pays for sending its values. Then the rest runs on all ranks.
void driver::run_and_send_late(const resolved_request& r, const abi::launch_key& key, int few,
                               late_sending& late) {
  ranges_here loop(r, key, node_, few == 1 ? driver_thread_ : node_.pool(), few, range_plans_);
  const auto count = [&](std::uint64_t most) { return sent_values_.count_lacking(r.call, most); };
  const std::int64_t n = r.call.n;
  late.begin(n);
  while (loop.ran() < n) {
    const auto start = std::chrono::steady_clock::now();
    const std::int64_t before = loop.ran();
    const loop_result part = loop.run(before, before + late.next());
    if (!part.failures.empty()) rethrow(r.call.site, part.failures.front());
    if (late.pays(loop.ran() - before, seconds_since(start), count)) break;
  }
  const done d = loop.result();
  if (loop.ran() == n) {
    fold_reductions(r.call, {&d, 1});
    return keep_ranges(r, loop.made(), d, few);
  }
  late_.erase(r.call.entry);
  run_everywhere(r, key, rest_of_loop{.first = loop.ran(), .before = &d});
}

}  // namespace stradsap::rt

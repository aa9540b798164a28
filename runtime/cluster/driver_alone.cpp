// Loops that the driver runs without the other ranks, over containers that it first brings here: in program
// order on one thread, and as transactions on the threads of this rank. Thread rule: main thread.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "runtime/base/elapsed.hpp"
#include "runtime/base/faults.hpp"
#include "runtime/cluster/driver.hpp"
#include "runtime/cluster/launch_here.hpp"
#include "runtime/cluster/survey_frame.hpp"
#include "runtime/loop/blocks/execution.hpp"
#include "runtime/loop/plan/hot_elements.hpp"
#include "runtime/loop/plan/survey.hpp"
#include "runtime/loop/planner.hpp"
#include "runtime/loop/transactions/program_order.hpp"
#include "runtime/loop/transactions/transactions.hpp"
#include "runtime/loop/waves/wave_planner.hpp"
#include "runtime/observe/launch_proof.hpp"

namespace stradsap::rt {

/// The reason to run an ordered loop on the driver's thread, or null.
const char* driver::why_alone(const launch_request& r) const {
  return num_executors_ == 1 ? "there is no other" : why_never_by_waves(r);
}

/// The same for any number of executors. Several threads can keep program order if a slice finds all accesses
/// beforehand and no sum depends on the order. A short loop is not worth it.
const char* driver::why_never_by_waves(const launch_request& r) const {
  constexpr std::int64_t least_iterations = 1000;
  if (r.n < least_iterations) return "an ordered loop of fewer than 1000 iterations";
  if ((r.entry->flags & abi::transactional) != 0)
    return "an ordered loop whose places depend on what it writes";
  if ((r.entry->flags & abi::unknown_dependences) != 0)
    return "an ordered loop whose places stradsap-cc cannot follow";
  if ((r.entry->flags & abi::rounds_apart) != 0)
    return "an ordered loop that rounds apart in waves, as with -ffast-math";
  const std::vector<usage> uses = resolve(r, /*map_accumulators=*/0).uses.by_capture;
  std::uint64_t elements = static_cast<std::uint64_t>(r.n);
  for (std::size_t c = 0; c < r.containers.size(); ++c) {
    const abi::capture_info& capture = r.entry->captures[c];
    if (capture.kind == abi::capture_kind::reduction && (capture.mode & abi::exact) == 0)
      return "an ordered loop with a sum of fractions, whose bits depend on the order";
    if (r.containers[c] == nullptr) continue;
    elements += r.containers[c]->local().size();
    if (uses[c] == usage::owned && (r.entry->flags & abi::has_slice) == 0)
      return "an ordered loop without a slice";
    if (is_late_sum(capture)) return "an ordered loop that reads what it adds into";
    if (is_written(capture) && steers_itself(capture))
      return "an ordered loop whose places depend on what it writes";
  }
  const bool fits = elements < most_wave_elements / 2;  // new keys may be added
  return fits ? nullptr : "an ordered loop of too many iterations and elements";
}

static bool writes_maps(const launch_request& r) {
  for (std::size_t c = 0; c < r.containers.size(); ++c) {
    const driver_handle* handle = r.containers[c];
    if (handle != nullptr && is_written(r.entry->captures[c]) && handle->local().keys() != nullptr)
      return true;
  }
  return false;
}

/// Whether no new keys and no parts of accumulators would take another order in waves than in program order.
static bool keeps_order(const resolved_request& r) { return !writes_maps(r.call) && r.uses.is_exact; }

static bool rounds_apart(const resolved_request& r) { return (r.call.entry->flags & abi::rounds_apart) != 0; }

/// Whether waves give the bits of program order: not if a call for an element makes the compiler round in
/// another way.
static bool may_run_by_waves(const resolved_request& r) { return keeps_order(r) && !rounds_apart(r); }

/// Whether waves are missing for that reason alone: then program order takes their place.
static bool has_order_for_waves(const resolved_request& r) { return keeps_order(r) && rounds_apart(r); }

/// For a loop that waves would give other bits, so that the clock cannot choose. Its sums of fractions and
/// its old values are current in program order, which the models permit.
static loop_route route_without_clock(const resolved_request& r, const survey& found) {
  constexpr double least_block_work = 5000;  // about nanoseconds, as to plan and to begin a block takes
  const double work = found.touch_work * std::max(1.0, found.block_length);
  const bool pays = !is_short(found) && work >= least_block_work;
  return writes_maps(r.call) || pays ? loop_route::blocks : loop_route::program_order;
}

static bool has_rows(const launch_request& r) {
  return std::any_of(r.entry->captures, r.entry->captures + r.entry->num_captures, [](const auto& capture) {
    return capture.added != nullptr && capture.added->shape != nullptr;
  });
}

/// Chooses the route by additions if all containers that the loop writes at computed places take part.
void driver::try_additions(const resolved_request& r, std::uint32_t accumulators, chosen_route& chosen) {
  if (accumulators == 0 || resolve(r.call, r.map_accumulators, accumulators).lists_iterations) return;
  chosen.route = loop_route::additions;
  chosen.large_accumulators = accumulators;
}

// Making a plan for more iterations may pay at each call.
static constexpr std::int64_t longest_window = 1 << 15;
static constexpr int most_moves = 3;
// Blocks would not pay for their plan, unless the iterations are so long that waves pay too.
static constexpr std::int64_t longest_short = 1024;

static constexpr const char* why_short = "it is short, and a plan would take longer than the loop";
static constexpr const char* why_few_additions =
    "it only adds, so batches hide nothing, and its additions are few beside the container";
static constexpr const char* why_moved =
    "it would need another plan at each call, which takes longer than the loop";
static constexpr const char* why_tiny = "its plan has blocks that are too few or too short to pay for it";

/// Data alone decide.
static loop_route route_of_stretches(const resolved_request& r, double touches) {
  constexpr double least_touches = 1 << 16;  // of a short loop that is worth a message
  const bool is_long = r.call.n > longest_short || touches * static_cast<double>(r.call.n) >= least_touches;
  if (is_long) return loop_route::stretches;
  if (has_order_for_waves(r)) return loop_route::program_order;
  return may_run_by_waves(r) ? loop_route::waves : loop_route::stretches;
}

bool driver::may_leave_blocks(const resolved_request& r, const chosen_route& chosen) {
  return chosen.has_choice || has_order_for_waves(r);
}

void driver::leave_blocks(const resolved_request& r, chosen_route& chosen, const char* why) {
  chosen.route = has_order_for_waves(r) ? loop_route::program_order : loop_route::waves;
  chosen.why = why;
}

/// A loop over windows or columns that move needs another plan at each call, which costs more than the loop:
/// of blocks if it is short, of stretches at any length. Data alone decide, so the bits are the same on any
/// workers.
void driver::leave_moved_blocks(const resolved_request& r, chosen_route& chosen) const {
  const bool is_planned = chosen.route == loop_route::blocks || chosen.route == loop_route::stretches;
  if (!chosen.may_change || !is_planned) return;
  chosen.moves = plans_.has_moved(r) ? chosen.moves + 1 : 0;
  if (chosen.moves >= most_moves) leave_blocks(r, chosen, why_moved);
}

/// A new plan knows more than a sample of the first call: later calls may touch more. If its blocks are few
/// or tiny, or it has turned to waves, further calls go by waves or in program order. Data alone decide.
void driver::run_blocks_while_worthwhile(const resolved_request& r, const abi::launch_key& key,
                                         chosen_route& chosen) {
  const bool may_be_new = may_leave_blocks(r, chosen) && !plans_.holds(r);
  run_blocks(r, key);
  const plan* const made = may_be_new ? node_.plan_of(r.plan) : nullptr;
  if (made == nullptr || !made->lists_iterations()) return;
  if (made->waves == nullptr && are_worthwhile(*made)) return;
  leave_blocks(r, chosen, why_tiny);
}

/// A long loop that needs another plan is looked at again, since other iterations may touch something now.
/// Not if its inputs come back: the sample would be that of an earlier call.
void driver::survey_moved_blocks(const resolved_request& r, const abi::launch_key& key,
                                 chosen_route& chosen) {
  const bool may_gain =
      chosen.route == loop_route::blocks && may_leave_blocks(r, chosen) && r.call.n >= longest_window;
  if (!may_gain || r.plan != r.calls || !plans_.has_moved(r)) return;
  const auto start = std::chrono::steady_clock::now();
  chosen_route again = surveyed_route(r, key);
  seconds_survey_ = seconds_since(start);
  if (again.route == loop_route::waves || again.route == loop_route::program_order) chosen = std::move(again);
}

driver::chosen_route& driver::route_of(const resolved_request& resolved, const abi::launch_key& key) {
  const auto known = routes_.find(resolved.kind);
  if (known != routes_.end()) {
    find_pace(resolved, key, known->second);
    leave_moved_blocks(resolved, known->second);
    survey_moved_blocks(resolved, key, known->second);
    return known->second;
  }
  const auto start = std::chrono::steady_clock::now();
  const chosen_route chosen = surveyed_route(resolved, key);
  if (resolved.lists_iterations) seconds_survey_ = seconds_since(start);
  return routes_.insert_or_assign(resolved.kind, chosen).first->second;
}

/// Whether iterations that touch no common element may run side by side on the elements of this process. The
/// inspector must foresee all accesses, since none is checked.
bool driver::may_be_disjoint(const resolved_request& r, const loop_frame& f) const {
  if (settings().world_size > 1 || settings().threads == 1 || !may_run_by_waves(r)) return false;
  if (is_checked(f) || (f.entry->flags & abi::unknown_dependences) != 0) return false;
  for (std::size_t c = 0; c < f.num_captures(); ++c) {
    const abi::capture_info& capture = f.entry->captures[c];
    if (is_written(capture) && steers_itself(capture)) return false;
  }
  return true;
}

/// Whether a sample could only choose between program order and waves.
static bool has_two_ways(const resolved_request& r) {
  const bool may_accumulate = !resolve(r.call, r.map_accumulators, /*large_accumulators=*/2).lists_iterations;
  return r.call.n <= longest_short && may_run_by_waves(r) && !may_accumulate;
}

// An inspector gets a copy of each element of a written container that it reads. If two iterations read more
// on average, a sample of a short loop may take as long as many calls.
static constexpr std::int64_t few_iterations = 2;
static constexpr double most_calls = 1024;

/// Iterations of the sample that could run at a time. If fewer can, some surely meet.
static constexpr double least_parallelism_of_disjoint = 8;

/// Before iterations run side by side or by waves.
void driver::survey_pace(const resolved_request& r, const abi::launch_key& key, chosen_route& chosen) {
  chosen.is_unsurveyed = false;
  const auto start = std::chrono::steady_clock::now();
  const loop_frame f = frame_of_survey(r.call, key, r.call.model.which(), r.call.relaxed);
  const auto bring = [&](std::int64_t j) { bring_aligned(f, r.call, j); };
  const bool is_chain = survey_chains(f, node_.copies(), bring);
  const double parallelism = is_chain ? 1 : survey_iterations(f, node_.copies(), bring).parallelism();
  chosen.pace.limit(parallelism);
  if (parallelism < least_parallelism_of_disjoint) chosen.disjoint.reset();
  seconds_survey_ += seconds_since(start);
}

/// Chooses a route if iterations write one behind the other: stretches, or no plan for a short loop.
bool driver::survey_as_stretches(const resolved_request& r, const loop_frame& f, const abi::launch_key& key,
                                 chosen_route& chosen) {
  const auto bring = [&](std::int64_t j) { bring_aligned(f, r.call, j); };
  std::vector<stretch_run> runs;
  const std::optional<double> touches = survey_stretches(f, node_.copies(), bring, runs);
  if (!touches) return false;
  if (settings().world_size == 1) node_.know_runs(launch_id{key.number}, std::move(runs));
  chosen.route = route_of_stretches(r, *touches);
  chosen.why = why_short;
  chosen.has_choice = may_run_by_waves(r);
  chosen.may_change = may_leave_blocks(r, chosen);
  chosen.pace = wave_pace(num_executors_, static_cast<double>(r.call.n), *touches);
  if (may_be_disjoint(r, f))
    chosen.disjoint = wave_pace::side_by_side(settings().threads, r.call.n, *touches, /*seconds_recorded=*/0);
  return true;
}

driver::chosen_route driver::surveyed_route(const resolved_request& resolved, const abi::launch_key& key) {
  chosen_route chosen{loop_route::blocks, wave_pace(num_executors_, 1, 0), {}};
  if (resolved.lists_iterations && resolved.call.model.which() == ConsistencyModel::kind::async) {
    const loop_frame f =
        frame_of_survey(resolved.call, key, resolved.call.model.which(), resolved.call.relaxed);
    if (f.has_hottest()) return chosen;  // nobody knows the sets without the hottest elements yet
    const auto bring = [&](std::int64_t j) { bring_aligned(f, resolved.call, j); };
    if (survey_as_stretches(resolved, f, key, chosen)) return chosen;
    const auto start = std::chrono::steady_clock::now();
    const bool has_two = has_two_ways(resolved);
    const iteration_width width =
        has_two ? width_of_iterations(few_iterations, f, node_.copies(), bring) : iteration_width{};
    if (width.calls > most_calls) {
      const double seconds_each = seconds_since(start) / few_iterations;
      chosen.route = loop_route::waves;
      chosen.has_choice = true;
      chosen.is_unsurveyed = true;
      chosen.pace = wave_pace(num_executors_, num_executors_, width.touches, seconds_each);
      if (may_be_disjoint(resolved, f))
        chosen.disjoint =
            wave_pace::side_by_side(settings().threads, resolved.call.n, width.touches, seconds_each);
      return chosen;
    }
    const survey found = survey_iterations(f, node_.copies(), bring);
    const double seconds_recorded =
        seconds_since(start) / static_cast<double>(std::max<std::uint64_t>(1, found.iterations));
    chosen.route = route_for(found);
    chosen.has_choice = may_run_by_waves(resolved);
    const bool may_leave = may_leave_blocks(resolved, chosen);
    chosen.may_change = resolved.call.n < longest_window && may_leave;
    if (found.parallelism() >= least_parallelism_of_disjoint && may_be_disjoint(resolved, f))
      chosen.disjoint =
          wave_pace::side_by_side(settings().threads, resolved.call.n, found.touches, seconds_recorded);
    if (chosen.route != loop_route::blocks || has_rows(resolved.call))
      try_additions(resolved, large_accumulators(found, resolved.call.n), chosen);
    if (chosen.route == loop_route::program_order)
      chosen.why = resolved.call.was_in_batches ? why_few_additions : why_in_order(f, found);
    if (chosen.route == loop_route::waves && !chosen.has_choice) {
      chosen.route = route_without_clock(resolved, found);
      chosen.why = "its iterations are short, and touch so many elements that they would wait for each other";
    }
    if (chosen.route == loop_route::blocks && resolved.call.n <= longest_short && may_leave)
      leave_blocks(resolved, chosen, why_short);
    const bool may_gain = chosen.route == loop_route::waves && num_executors_ > 1;
    const bool is_chain = may_gain && survey_chains(f, node_.copies(), bring);
    if (is_chain) chosen.disjoint.reset();
    chosen.pace = wave_pace(num_executors_, is_chain ? 1 : found.parallelism(),
                            found.touches * found.share_active(), seconds_recorded);
  }
  return chosen;
}

static bool are_maps_empty(const resolved_request& r) {
  bool has_map = false;
  for (std::size_t c = 0; c < r.call.containers.size(); ++c) {
    if (r.call.containers[c] == nullptr || r.uses.by_capture[c] != usage::owned) continue;
    const replica& local = r.call.containers[c]->local();
    if (local.keys() == nullptr) continue;
    if (local.size() != 0) return false;
    has_map = true;
  }
  return has_map;
}

/// Whether the loop makes all entries of the maps that it writes, and a plan for this call would take longer
/// than the call: to find the keys takes about as long as to run the body, and each rank has to add all of
/// them. Later calls find the keys there. Counts alone decide, and bound the loss of many executors.
bool driver::fills_empty_maps(const resolved_request& r, const abi::launch_key& key) {
  constexpr double most_touches = 1 << 21;
  constexpr std::int64_t some = 8;
  const launch_request& call = r.call;
  const bool is_async = call.model.which() == ConsistencyModel::kind::async && call.relaxed.empty();
  if ((call.entry->flags & abi::fills_maps) == 0 || !is_async || !are_maps_empty(r)) return false;
  if (static_cast<double>(call.n) > most_touches) return false;
  const auto start = std::chrono::steady_clock::now();
  const loop_frame f = frame_of_survey(call, key, call.model.which(), call.relaxed);
  const iteration_width width =
      width_of_iterations(some, f, node_.copies(), [&](std::int64_t j) { bring_aligned(f, call, j); });
  seconds_survey_ = seconds_since(start);
  return static_cast<double>(call.n) * width.touches <= most_touches;
}

/// Runs the loop in program order, over the driver's own handles.
void driver::run_here(const launch_request& r, const abi::launch_key& key, const char* why) {
  launch_here here(r, key, node_.work());
  refuse_second_names(here.frame());
  const bool is_ordered = r.model.which() == ConsistencyModel::kind::ordered;
  const bool has_waves = is_ordered && why_never_by_waves(r) == nullptr;  // on other shapes
  const bool runs_unfused = (r.entry->flags & abi::relaxable) != 0;       // as transactions do
  if (has_waves) cut_for_order(here.frame());
  program_order whole(here.frame(), here.partials(), sums_grouped::by_addition,
                      has_waves || runs_unfused ? body_copy::movable : body_copy::fastest);
  here.frame().begin(work_stage::running, static_cast<std::uint64_t>(r.n));
  if (const std::optional<failure> f = whole.run(0, r.n)) rethrow(r.site, *f);
  here.keep_reductions();
  const done d = here.result(node_.net());
  if (r.model.which() == ConsistencyModel::kind::async && settings().check_conflicts && !settings().serial)
    note_program_order(here.frame(), settings().order_path);
  keep_alone(r, d);
  if (is_simulated(*r.entry)) simulation_->ran_alone(r, key, d.work.seconds_compute, why);
}

/// Whether advice on the loop's parallelism helps.
bool driver::is_advised(const launch_request& r) const {
  return num_executors_ > 1 && r.n > 1 && (r.entry->flags & abi::of_library) == 0;
}

void driver::run_in_order(const launch_request& r, const abi::launch_key& key, const std::string& why) {
  const auto start = std::chrono::steady_clock::now();
  run_here(r, key, "a loop whose iterations would wait for each other");
  if (is_advised(r)) advice_.ran_in_order(r.site, seconds_since(start), why);
}

/// If the sample was wrong, or data have changed since, the next call chooses anew.
void driver::run_as_stretches(const resolved_request& r, const abi::launch_key& key) {
  run_everywhere(r, key);
  if (node_.plan_of(r.plan)->lists_iterations()) routes_.erase(r.kind);
}

void driver::keep_alone(const launch_request& r, const done& d) {
  launch_record record = new_record(r, {&d, 1}, 1);
  if (r.model.which() == ConsistencyModel::kind::async && !settings().serial) {
    record.planner = "program order";
    record.parallelism = 1;
  }
  keep(record, r);
}

// Without measured times: each run has the same text.
static constexpr const char* why_in_place =
    "to pass elements between threads would take longer, by measurement or by an estimate from a sample; let "
    "each iteration do more, or touch fewer elements";

/// Cuts the containers that the loop writes at computed places, as waves do.
static void cut_before_choice(const resolved_request& r) {
  for (std::size_t c = 0; c < r.call.containers.size(); ++c) {
    if (r.call.containers[c] == nullptr || r.uses.by_capture[c] != usage::owned) continue;
    replica& local = r.call.containers[c]->local();
    if (!local.uncut()) continue;
    cut_for_waves(local);
    r.call.containers[c]->note_cut();
  }
}

/// Time decides, but no bit: cuts are made before the decision, and sums are those of iterations.
void driver::run_in_place_or_by_waves(const resolved_request& r, const abi::launch_key& key,
                                      chosen_route& chosen) {
  cut_before_choice(r);
  wave_pace& pace = chosen.pace;
  const bool is_watched = settings().check_conflicts || simulation_;
  const auto begin = std::chrono::steady_clock::now();
  std::int64_t ran = is_watched ? 0 : run_in_place_or_disjoint(r, key, chosen);
  if (ran == r.call.n) return;
  pace.begin();
  if (!is_watched && settings().in_place) {
    ran = run_in_place(r, key, ran, pace);
    if (ran != r.call.n && chosen.is_unsurveyed) {
      survey_pace(r, key, chosen);
      ran = run_in_place(r, key, ran, pace);
    }
  }
  if (ran == r.call.n && is_advised(r.call))
    advice_.ran_in_order(r.call.site, seconds_since(begin), why_in_place);
  if (ran == r.call.n) return;
  const auto start = std::chrono::steady_clock::now();
  const auto work = static_cast<std::uint64_t>(pace.place() * 1e9);
  const plan* const of_blocks = plans_.holds(r) ? node_.plan_of(r.plan) : nullptr;
  const bool has_waves = of_blocks != nullptr && of_blocks->waves != nullptr;
  resolved_request waves = has_waves ? r : by_waves(r);
  if (!has_waves) plans_.find_beside(waves);
  const double seconds_plan = run_everywhere(waves, key, rest_of_loop{ran, work, /*as_waves=*/true}).plan;
  pace.ran_waves(r.call.n - ran, seconds_since(start), seconds_plan);
}

/// A search in vain may have looked at all iterations, so later calls search ever more rarely.
std::int64_t driver::run_in_place_or_disjoint(const resolved_request& r, const abi::launch_key& key,
                                              chosen_route& chosen) {
  constexpr int most_doublings = 10;
  if (!chosen.disjoint || chosen.calls_until_search-- > 0) return 0;
  chosen.calls_until_search = 0;
  wave_pace& pace = *chosen.disjoint;
  pace.begin();
  const auto begin = std::chrono::steady_clock::now();
  const std::int64_t ran = settings().in_place ? run_in_place(r, key, 0, pace) : 0;
  if (ran == r.call.n) {
    if (is_advised(r.call)) advice_.ran_in_order(r.call.site, seconds_since(begin), why_in_place);
    return ran;
  }
  if (chosen.is_unsurveyed) survey_pace(r, key, chosen);
  if (!chosen.disjoint) return ran;
  if (run_disjoint(r, key, ran, pace)) return r.call.n;
  chosen.searches_in_vain = std::min(chosen.searches_in_vain + 1, most_doublings);
  chosen.calls_until_search = 1 << chosen.searches_in_vain;
  return ran;
}

std::int64_t driver::run_in_place(const resolved_request& resolved, const abi::launch_key& key,
                                  std::int64_t first, wave_pace& pace) {
  const launch_request& r = resolved.call;
  if (pace.next(r.n - first) == 0) return first;
  launch_here here(r, key, node_.work());
  loop_frame& frame = here.frame();
  refuse_second_names(frame);
  program_order whole(frame, here.partials(),
                      has_inexact_sums(*frame.entry) ? sums_grouped::by_iteration : sums_grouped::by_addition,
                      body_copy::movable);
  frame.begin(work_stage::running, static_cast<std::uint64_t>(r.n));
  std::int64_t ran = first;
  while (ran != r.n) {
    const std::int64_t count = pace.next(r.n - ran);
    if (count == 0) break;
    const auto start = std::chrono::steady_clock::now();
    if (const std::optional<failure> f = whole.run(ran, ran + count)) rethrow(r.site, *f);
    pace.ran_in_place(count, seconds_since(start));
    ran += count;
  }
  here.keep_reductions();
  if (ran == r.n) keep_alone(r, here.result(node_.net()));
  return ran;
}

void driver::run_transactions(const launch_request& r, const abi::launch_key& key) {
  launch_here here(r, key, node_.work());
  loop_frame& frame = here.frame();
  refuse_second_names(frame);
  frame.logs_accesses = settings().check_conflicts && is_checked(frame);
  std::vector<logged_state> before;
  if (frame.logs_accesses) before = all_states(frame);
  // in rounds, such a body would round apart; logs need rounds, and check builds alone have logs
  const bool stays_in_place = (r.entry->flags & abi::rounds_apart) != 0;
  const bool rounds_only = (!settings().in_place && !stays_in_place) || frame.logs_accesses;
  const int executors = stays_in_place ? 1 : node_.pool().size();
  transaction_pace& pace = transactions_.try_emplace(r.entry, executors, rounds_only).first->second;
  transactions_end end = run_as_transactions(frame, node_.pool(), here.partials(), pace);
  if (frame.logs_accesses) {
    end.logs.push_back({{}, {}, {}, std::move(before), all_states(frame)});
    const std::vector<std::uint32_t> program_order_is_one_block{0};
    verify_order(frame, program_order_is_one_block, end.failed.has_value(), std::move(end.logs),
                 settings().order_path);
  }
  if (end.failed) rethrow(r.site, *end.failed);
  here.keep_reductions();
  const done d = here.result(node_.net());
  if (is_advised(r) && end.one_after_the_other() > static_cast<std::uint64_t>(r.n) / 10 * 9)
    advice_.ran_in_order(r.site, d.work.seconds_compute,
                         "data that it writes decide which elements it accesses (--explain names them)");
  launch_record record = new_record(r, {&d, 1}, 1);
  record.planner = "transactions";
  record.rounds = end.rounds;
  record.retries = end.repeated;
  record.parallelism = static_cast<double>(r.n) / static_cast<double>(end.one_after_the_other());
  keep(record, r);
  if (is_simulated(*r.entry))
    simulation_->ran_alone(r, key, d.work.seconds_compute,
                           "transactions, as long as they took on the threads here");
}

}  // namespace stradsap::rt

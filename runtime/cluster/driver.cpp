#include "runtime/cluster/driver.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "runtime/base/check.hpp"
#include "runtime/base/elapsed.hpp"
#include "runtime/base/log.hpp"
#include "runtime/dds/broadcast.hpp"
#include "runtime/loop/launch/registry.hpp"
#include "runtime/loop/launch/sent_merge.hpp"
#include "runtime/loop/plan/wave_plan.hpp"
#include "runtime/observe/summary.hpp"

namespace stradsap::rt {

/// Executors of all ranks; in a simulation, of the simulated ranks.
static int executors_of(const options& o) {
  return o.simulate ? o.simulate->ranks * o.simulate->threads : o.world_size * o.threads;
}

driver::driver(const options& o)
    : stats_(o.world_size),
      alarms_(o.falling),
      metrics_(o.rank == driver_rank ? o.metrics_path : std::string()),
      num_executors_(executors_of(o)),
      plans_(o.plan_cache, memory_for_plans(o.world_size)),
      range_plans_(o.plan_cache),
      repeats_(o.plan_cache && !o.check_conflicts && !o.simulate),
      additions_(num_executors_, o.plan_cache),
      balancer_(o),
      checkpoints_(o),
      node_(o, *this),
      progress_(node_.work(), o) {
  if (o.simulate) simulation_.emplace(*o.simulate);
  if (o.world_size > 1) process_.emplace();
  if (!o.order_path.empty()) std::ofstream(o.order_path).close();  // launches append to it
}

driver::~driver() {
  while (!clocked_.empty()) settle_at_end(clocked_.back()->containers.front());
  if (simulation_) tell_predictions();
  if (settings().simulate_parallel != 0 && settings().rank == driver_rank) {
    for (const std::string& line : curves_.table()) inform(line);
  }
  if (settings().free_running && !has_run_free_ && settings().rank == driver_rank) {
    warn(
        "--free-running had no effect: it is for loops of schedule::dynamic() with depends_on_accesses() and "
        "without priority(), on one rank");
  }
  if (!settings().stats_path.empty()) stats_.write(settings().stats_path);
  if (settings().summary && settings().rank == driver_rank) tell_summary();
  if (node_.net() == nullptr) return;
  is_ending_ = true;
  node_.net()->expect_departures();
  for (rank_id r = 1; r < settings().world_size; ++r) node_.net()->send(r, shutdown{});
}

void driver::tell_summary() const {
  for (const std::string& line :
       summary_of(stats_, seconds_since(start_), settings().world_size, settings().threads))
    inform(line);
}

void driver::report(std::span<const abi::reported_value> given, const std::source_location& where) {
  std::vector<abi::reported_value> values(given.begin(), given.end());
  for (abi::reported_value& one : values) {
    if (std::isnan(one.value)) one.value = std::abs(one.value);  // `nan`, for NaN has a sign
  }
  metrics::check(values);
  metrics_.add(values, stats_.total());
  for (const abi::reported_value& one : values) {
    const std::string alarm = alarms_.look_at(one.name, one.value);
    if (!alarm.empty()) warn(fmt::format("{}:{}: {}", where.file_name(), where.line(), alarm));
  }
  progress_.reported(values.front().name, values.front().value);
}

void driver::begin_operation(std::string_view name, std::string_view unit, std::uint64_t total) {
  progress_.begin(name, unit, total);
  if (operations_++ > 0) return;
  operation_ = name;
  operation_start_ = std::chrono::steady_clock::now();
}

void driver::end_operation() {
  progress_.end();
  if (--operations_ == 0) stats_.add_operation(operation_, seconds_since(operation_start_));
}

void driver::tell_predictions() {
  const std::vector<loop_prediction> predictions = simulation_->predict();
  for (const std::string& line : table_of(predictions, *settings().simulate, settings().threads))
    inform(line);
  for (const loop_prediction& p : predictions) stats_.predicted(p);
}

abi::handle_target* driver::create(const abi::element_ops& ops, std::uint64_t n,
                                   std::unique_ptr<abi::key_index> keys) {
  const container_id id{next_container_++};
  auto local = std::make_unique<replica>(id, ops, n, std::move(keys), driver_rank,
                                         [this](replica& to, const auto& ranges) {
                                           refuse_other_threads();
                                           node_.copies().fetch(to, ranges);
                                         });
  local->begin_blank();
  if (settings().world_size == 1 && local->keys() == nullptr) local->may_take_memory();
  auto handle = std::make_unique<driver_handle>(*local, [this](replica& of) {
    refuse_other_threads();
    send_recall(of);
  });
  node_.copies().add(std::move(local));
  return (handles_[id] = std::move(handle)).get();
}

void driver::destroy(const abi::handle_target* dead) {
  const container_id id = static_cast<const driver_handle*>(dead)->local().id();
  settle_at_end(id);
  destroyed_.push_back(id);
  handles_.erase(id);
  node_.copies().remove(id);
}

/// Loops of several threads take turns, but the elements of a container cannot wait for a loop.
void driver::refuse_other_threads() const {
  const std::thread::id running = running_in_;
  if (running == std::thread::id() || running == std::this_thread::get_id()) return;
  if (abi::current_launch.number != 0) return;  // it runs bodies
  throw error(
      errc::unsupported,
      "a thread looks at elements of a container while another one's loop runs: let it wait for the loop");
}

/// The first step of an exchange between two launches.
std::uint32_t driver::next_step_of_recalls() {
  constexpr std::uint32_t steps_each = 1 << 16;  // more than a launch takes
  return ++recalls_ * steps_each;
}

/// The program accesses a container in plan layout: restores its canonical layout on all ranks.
void driver::send_recall(const replica& local) {
  const recall wanted{local.id(), launch_id{launches_}, next_step_of_recalls()};
  for (rank_id to = 1; to < settings().world_size; ++to) node_.net()->send(to, wanted);
  node_.perform(wanted);
}

// ---- launches ----

void driver::run(const abi::loop_call& call) {
  std::unique_ptr<launch_request> request = std::move(last_request_);
  if (request == nullptr) request = std::make_unique<launch_request>();
  make_request(*request, call);
  run(*request);
  request->values.begin(0);  // copies end with the call
  last_request_ = std::move(request);
}

void driver::run(const launch_request& r) {
  if (running_in_ != std::thread::id()) {
    throw error(errc::unsupported,
                fmt::format("{}: a loop inside a loop body: only the outermost is parallel", r.site));
  }
  if (settings().check_conflicts && (r.entry->flags & (abi::checked_build | abi::of_library)) == 0) {
    throw error(
        errc::unsupported,
        fmt::format("{}: conflicts are checked in a check build: compile with stradsap-cc --check", r.site));
  }
  settle_before(r);
  const abi::launch_key key = next_launch();
  if (r.n <= 0) return;
  catch_up_before(r);
  refuse_second_names(r);
  struct flag {
    std::atomic<std::thread::id>& value;
    explicit flag(std::atomic<std::thread::id>& v) : value(v) { value = std::this_thread::get_id(); }
    ~flag() { value = std::thread::id(); }
  } const now(running_in_);
  const watched_loop here(node_.watch(), r.site);
  launch_start_ = std::chrono::steady_clock::now();
  seconds_survey_ = 0;
  progress_.begin_launch(r.entry, r.n, r.site, r.label, launch_start_);
  struct ending {
    progress& shown;
    ~ending() { shown.end(); }
  } const at_end{progress_};
  for (driver_handle* handle : r.containers) {
    if (handle == nullptr) continue;
    handle->begin_launch();
    // threads of the library's loops take the pages that they fill, side by side
    if ((r.entry->flags & abi::of_library) == 0) handle->local().take_memory();
  }
  if ((r.entry->flags & abi::of_library) == 0) checkpoints_.note_loop(r.site);
  if (settings().check_conflicts) note_values(r);
  judge_rounds(r, key);
  if (r.dynamic) {
    run_dynamic(r, key);
  } else if (settings().serial ||
             (r.model.which() == ConsistencyModel::kind::ordered && why_alone(r) != nullptr)) {
    run_here(r, key, why_alone(r));
  } else if (range_repeats::repeat* const known = num_executors_ == 1 ? repeats_.find(r) : nullptr) {
    run_again(r, key, *known);
  } else if (r.is_clock) {
    run_clock(r, key);
  } else if (is_transactional(r)) {
    run_transactions(r, key);
  } else {
    run_planned(resolve(r, additions_.accumulators()), key);
  }
  if (settings().check_conflicts) refuse_changed_values(r);
}

abi::launch_key driver::next_launch() {
  recalls_ = 0;
  return {settings().seed, ++launches_};
}

void driver::rethrow(const char* site, const failure& f) {
  if (f.iteration < 0) throw error(static_cast<errc>(f.code), f.what);
  throw loop_error(static_cast<errc>(f.code),
                   fmt::format("{}: iteration {} on rank {}: {}", site, f.iteration, f.rank, f.what), f.rank,
                   f.iteration, site);
}

void driver::observe(const loop_frame& f, const launch& l, loop_result& result) {
  if (!is_simulated(*f.entry)) return;
  std::vector<driver_handle*> handles;
  for (const container_id id : l.containers)
    handles.push_back(id == container_id::none ? nullptr : handles_.at(id).get());
  simulation_->observe(f, handles, node_.plan_of(l.plan), l, result);
}

static double seconds_planning(const std::vector<done>& parts) {
  double most = 0;
  for (const done& d : parts) most = std::max(most, d.work.seconds_plan);
  return most;
}

static void note_writes(const resolved_request& resolved, bool is_alone) {
  const launch_request& r = resolved.call;
  for (std::size_t c = 0; c < r.containers.size(); ++c) {
    if (r.containers[c] == nullptr) continue;
    if (is_written(r.entry->captures[c])) r.containers[c]->note_loop(r.entry->captures[c].written, r.site);
    const bool matters = gives_places(r.entry->captures[c]) || may_plan_by(resolved, c);
    r.containers[c]->reopen(matters, is_alone);
  }
}

static void fetch_foreseen(const launch_request& r, double seconds) {
  for (std::size_t c = 0; c < r.containers.size(); ++c) {
    if (r.containers[c] != nullptr && is_written(r.entry->captures[c]))
      r.containers[c]->fetch_foreseen(r.entry->id, seconds);
  }
}

const failure* driver::first_failure(const std::vector<done>& parts) {
  const failure* first = nullptr;
  for (const done& d : parts) {
    for (const failure& f : d.failures) {
      if (first == nullptr || f.position < first->position) first = &f;
    }
  }
  return first;
}

/// Adds the times of iterations that ran on the driver before the rest ran on all ranks.
static void add_work(counters& to, const counters& before) {
  to.iterations += before.iterations;
  to.seconds_compute += before.seconds_compute;
  to.seconds_wait += before.seconds_wait;
  to.seconds_plan += before.seconds_plan;
}

/// Folds the parts of all ranks in the order of blocks, or of iterations. `before`: parts of iterations that
/// ran here first.
void driver::fold_reductions(const abi::loop_entry& entry, std::span<void* const> into,
                             std::span<const done> parts, const done* before) {
  std::size_t size = 0;
  for (std::size_t c = 0; c < entry.num_captures; ++c) size += entry.captures[c].size;
  if (size == 0) return;
  std::vector<std::pair<std::uint32_t, const std::byte*>> in_order;
  const auto add = [&](const done& d) {
    const std::vector<std::uint32_t>& places = d.summed.empty() ? d.blocks : d.summed;
    if (d.partials.empty()) return;
    STRADSAP_ASSERT(d.partials.size() == places.size() * size, "{} bytes of partials for {} places",
                    d.partials.size(), places.size());
    in_order.reserve(in_order.size() + places.size());
    for (std::size_t i = 0; i < places.size(); ++i)
      in_order.emplace_back(places[i], d.partials.data() + i * size);
  };
  if (before != nullptr) add(*before);
  for (const done& d : parts) add(d);
  if (!std::is_sorted(in_order.begin(), in_order.end())) std::sort(in_order.begin(), in_order.end());
  std::size_t before_capture = 0;
  for (std::size_t c = 0; c < entry.num_captures; ++c) {
    const abi::capture_info& capture = entry.captures[c];
    const std::size_t offset = std::exchange(before_capture, before_capture + capture.size);
    if (into[c] == nullptr) continue;
    for (const auto& [place, part] : in_order) capture.combine(into[c], part + offset);
  }
}

void driver::add_plan(launch_record& record, const plan& p, const resolved_request& r) {
  record.parallelism = parallelism_of(p, r.call.n);
  if (p.waves != nullptr) {
    record.planner = "waves";
    record.levels = p.waves->levels;
  } else {
    record.planner = p.is_disjoint ? "disjoint" : "blocks";
    record.groups = p.tokens.size();
    record.blocks = p.blocks.size();
  }
  const std::vector<usage>& uses = r.uses.by_capture;
  std::string owned;
  for (std::size_t c = 0; c < uses.size(); ++c) {
    if (uses[c] == usage::accumulated) record.accumulated.emplace_back(r.call.entry->captures[c].name);
    if (uses[c] == usage::owned)
      owned += (owned.empty() ? "" : ", ") + std::string(r.call.entry->captures[c].name);
  }
  if (p.waves == nullptr) return;  // blocks note the container that they wait for
  for (const counters& one : record.work) record.waits[owned] += one.seconds_wait;
}

void driver::run_planned(resolved_request r, const abi::launch_key& key) {
  if (adds_into_maps(r)) return run_adding(r, key);
  if (fills_empty_maps(r, key))
    return run_in_order(r.call, key, "its first call makes the entries of a dmap");
  plans_.find_beside(r);
  chosen_route& chosen = route_of(r, key);
  switch (chosen.route) {
    case loop_route::program_order:
      return run_in_order(r.call, key, chosen.why);
    case loop_route::waves:
      return run_in_place_or_by_waves(r, key, chosen);
    case loop_route::additions:
      return run_additions(resolve(r.call, r.map_accumulators, chosen.large_accumulators), key);
    case loop_route::blocks:
      return run_blocks_while_worthwhile(r, key, chosen);
    case loop_route::stretches:
      return run_as_stretches(r, key);
  }
}

void driver::run_adding(const resolved_request& r, const abi::launch_key& key) {
  const map_additions::decision chosen = additions_.decide(r, destroyed_);
  if (!chosen.cuts_maps) {
    run_everywhere(r, key);
    return;
  }
  const resolved_request cut = resolve(r.call, /*map_accumulators=*/0);
  if (chosen.must_hold && !plans_.holds(cut)) {
    additions_.plan_failed(r);
    run_everywhere(r, key);
    return;
  }
  run_everywhere(cut, key);
  additions_.cut(r, parallelism_of(*node_.plan_of(cut.plan), r.call.n));
}

driver::launch_times driver::run_everywhere(const resolved_request& resolved, const abi::launch_key& key,
                                            const std::optional<rest_of_loop>& rest) {
  const launch_request& r = resolved.call;
  const auto start = std::chrono::steady_clock::now();
  const std::string why_void = plans_.holds(resolved) ? std::string() : plans_.why_void(resolved);
  for (std::size_t c = 0; c < r.containers.size(); ++c) {
    if (r.containers[c] != nullptr) r.containers[c]->close_window();
  }
  launch l = describe(resolved, key);
  if (rest) {
    l.as_waves = rest->as_waves;
    l.first = rest->first;
    l.iteration_work = rest->iteration_work;
  }
  for (rank_id to = 1; to < settings().world_size; ++to) node_.net()->send(to, l);
  const std::vector<done> parts = gather(l.id, node_.perform(l, &r.values));

  sent_values_.arrived();
  const failure* failed = first_failure(parts);
  if (failed != nullptr) sent_values_.forget();
  note_writes(resolved, settings().world_size == 1);
  plans_.completed(resolved, l, failed != nullptr, cost_of_plan(parts));
  if (failed != nullptr) rethrow(r.site, *failed);
  if (settings().world_size > 1) fetch_foreseen(r, seconds_since(start));
  const done* const before = rest ? rest->before : nullptr;
  fold_reductions(r, parts, before);
  const plan* made = node_.plan_of(l.plan);
  balancer_.completed(resolved, l, parts, made, plans_.seconds_to_make(l.plan));
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  advice_.ran_planned(r.site, seconds, seconds_planning(parts), why_void);
  launch_record record = new_record(r, parts, settings().world_size * settings().threads);
  if (before != nullptr) add_work(record.work[driver_rank], before->work);
  if (made != nullptr) add_plan(record, *made, resolved);
  record.captured_bytes =
      (l.values.size() + l.large.size) * static_cast<std::uint64_t>(settings().world_size - 1);
  keep(record, r);
  if (is_simulated(*r.entry))
    simulation_->complete(r.label == nullptr ? "" : r.label, seconds - parts[driver_rank].work.seconds_plan);
  double seconds_compute = 0;
  for (const done& d : parts) seconds_compute += d.work.seconds_compute;
  return {seconds_planning(parts), seconds_compute};
}

/// Whether only the shares require a new plan. Steps belong to wave threads, and no plan keeps the iterations
/// of other ranks, so other shares need a wave plan made from the start.
static bool needs_new_waves(const plan* made, const std::vector<std::uint64_t>& shares) {
  return made != nullptr && made->waves != nullptr && made->shares != shares;
}

/// A launch without a plan. The captured values come last, since encoding them may throw.
launch driver::describe_call(const launch_request& r, const abi::launch_key& key) {
  launch l;
  l.id = launch_id{key.number};
  l.entry = r.entry->id;
  l.type = name_of(*r.entry);
  l.site = r.site;
  l.n = r.n;
  l.destroyed = std::exchange(destroyed_, {});
  l.forgotten = plans_.forget(l.destroyed);
  balancer_.forget(l.forgotten);
  l.containers.reserve(r.containers.size());
  for (std::size_t c = 0; c < r.containers.size(); ++c) {
    if (r.containers[c] == nullptr) {
      l.containers.push_back(container_id::none);
      continue;
    }
    l.containers.push_back(r.containers[c]->local().id());
    container_update update = r.containers[c]->take_update();
    if (update.id != container_id::none) l.updates.push_back(std::move(update));
  }
  l.float_mode = float_mode();
  if (process_ && (r.entry->flags & abi::asks_process) != 0) l.process = process_->take_changes();
  return l;
}

launch driver::describe(const resolved_request& resolved, const abi::launch_key& key) {
  const launch_request& r = resolved.call;
  launch l = describe_call(r, key);
  l.model = static_cast<std::uint8_t>(r.model.which());
  l.batch = r.model.batch();
  l.shards = std::max<std::int64_t>(1, r.model.shards());
  l.merge = as_sent(r.model.merge());
  if (settings().world_size > 1) l.broadcast = to_broadcast(resolved);
  plans_.prepare(resolved, l);
  const auto route = routes_.find(resolved.kind);
  l.as_stretches = route != routes_.end() && route->second.route == loop_route::stretches;
  if (settings().simulate) l.use_plan_layout = false;  // a simulation reads the canonical layout
  balancer_.prepare(resolved, l);
  l.only_shares_changed = !l.replan && needs_new_waves(node_.plan_of(l.plan), l.share_ends);
  l.replan = l.replan || l.only_shares_changed;
  l.refresh = l.refresh && !l.replan;
  l.map_accumulators = resolved.map_accumulators;
  l.large_accumulators = resolved.large_accumulators;
  l.relaxed = as_sent(r.relaxed);
  if (settings().world_size > 1 || settings().simulate) send_values(r, l);
  return l;
}

/// Adds the values that the other ranks lack; under a simulation, that they would lack.
void driver::send_values(const launch_request& r, launch& l) {
  try {
    sent_values_.encode(r, l, node_.net() != nullptr && node_.net()->shares_memory());
  } catch (...) {
    sent_values_.forget();
    throw;
  }
}

/// Containers to broadcast: all ranks will read them and none has copies. After a failed launch, or reads by
/// the driver, this may be wrong; then a copy arrives twice or is fetched.
std::vector<std::uint32_t> driver::to_broadcast(const resolved_request& resolved) {
  const launch_request& r = resolved.call;
  std::vector<std::uint32_t> captures;
  for (std::size_t c = 0; c < r.containers.size(); ++c) {
    const bool copies = is_late_sum(r.entry->captures[c]) || (!r.relaxed.empty() && r.relaxed[c]);
    const bool is_copied = resolved.uses.by_capture[c] == usage::accumulated && copies;
    if (resolved.uses.by_capture[c] != usage::read && !is_copied) continue;
    if (r.containers[c]->note_spread() && should_broadcast(r.containers[c]->local()))
      captures.push_back(static_cast<std::uint32_t>(c));
  }
  return captures;
}

std::vector<done> driver::gather(launch_id id, done mine) {
  std::vector<done> parts(static_cast<std::size_t>(settings().world_size));
  parts[driver_rank] = std::move(mine);
  await_others(id, parts);
  return parts;
}

/// Parts of other launches, which did not wait for all ranks, stay for later.
void driver::await_others(launch_id id, std::vector<done>& parts) {
  const auto is_of_another = [&](const auto& one) { return one.second.launch != id; };
  const lock_guard hold(mutex_);
  for (int left = settings().world_size - 1; left > 0;) {
    const auto first = std::partition(done_.begin(), done_.end(), is_of_another);
    if (first == done_.end()) {
      awaited_parts_ = &parts;
      awaited_ = id;
      // The wait ends in any case: the network thread ends the process if a worker is lost.
      notification_.wait(mutex_, node_.waiting());
      awaited_parts_ = nullptr;
      continue;
    }
    for (auto one = first; one != done_.end(); ++one, --left)
      parts[static_cast<std::size_t>(one->first)] = std::move(one->second);
    done_.erase(first, done_.end());
  }
}

std::vector<awaited_rank> driver::awaits() {
  std::vector<awaited_rank> found;
  const patient_lock hold(mutex_);
  if (!hold.has() || awaited_parts_ == nullptr) return found;
  for (std::size_t r = 1; r < awaited_parts_->size(); ++r) {
    const bool is_here = (*awaited_parts_)[r].launch == awaited_ ||
                         std::any_of(done_.begin(), done_.end(), [&, awaited = awaited_](const auto& one) {
                           return one.first == static_cast<rank_id>(r) && one.second.launch == awaited;
                         });
    if (!is_here) found.push_back({static_cast<rank_id>(r), "it has not ended its part of the loop"});
  }
  return found;
}

void driver::add_parts(launch_record& record, std::span<const done> parts, const abi::loop_entry& entry) {
  for (const done& d : parts) {
    record.work.push_back(d.work);
    record.planned = record.planned || d.work.planned;
    record.sets_hash += d.work.sets_hash;
    record.iterations_moved += d.work.iterations_moved;
    record.rounds_ahead += d.work.rounds_ahead;
    for (std::size_t c = 0; c < d.waits.size(); ++c) {
      if (d.waits[c] > 0) record.waits[entry.captures[c].name] += d.waits[c];
    }
  }
}

launch_record driver::new_record(const launch_request& r, std::span<const done> parts, int executors) const {
  launch_record record;
  record.site = r.site;
  record.label = r.label == nullptr ? "" : r.label;
  record.iterations = static_cast<std::uint64_t>(r.n);
  add_parts(record, parts, *r.entry);
  record.seconds = seconds_since(launch_start_);
  record.executors = executors;
  record.work.resize(static_cast<std::size_t>(settings().world_size));
  record.surveyed = seconds_survey_ > 0;
  record.work[driver_rank].seconds_plan += seconds_survey_;
  return record;
}

/// Adds the record and the elements that ranks hold now to the statistics.
void driver::keep(const launch_record& record, const launch_request& r) {
  progress_.took();
  if ((r.entry->flags & abi::of_library) != 0) return stats_.add_bytes(record.work);
  stats_.add(record);
  note_holdings(r);
}

void driver::note_holdings(const launch_request& r) {
  for (std::size_t c = 0; c < r.containers.size(); ++c) {
    if (r.containers[c] == nullptr || !is_written(r.entry->captures[c])) continue;
    std::vector<std::uint64_t> held;
    for (rank_id of = 0; of < settings().world_size; ++of)
      held.push_back(r.containers[c]->local().groups().elements_of(of));
    stats_.holdings(r.containers[c]->local().id(), r.containers[c]->local().size(), std::move(held));
  }
}

// ---- received messages ----

void driver::heard(rank_id from, message m) {
  if (auto* d = std::get_if<done>(&m)) {
    const lock_guard hold(mutex_);
    done_.emplace_back(from, std::move(*d));
    notification_.announce();
    return;
  }
  if (const auto* lost = std::get_if<lost_peer>(&m)) {
    if (is_ending_) return;  // workers leave one after the other
    die(lost_peer_status,
        fmt::format("rank {} is lost: {}, as rank {} reports; the run ends", lost->rank, lost->why, from));
  }
  throw error(errc::decode, fmt::format("rank {} sent the driver what only a worker hears", from));
}

void driver::peer_lost(rank_id peer, const std::string& why) {
  die(lost_peer_status, fmt::format("rank {} is lost: {}; the run ends", peer, why));
}

}  // namespace stradsap::rt

// Loops of schedule::dynamic(), which the driver runs over its own handles. Thread rule: main thread.
#include <optional>

#include "runtime/cluster/driver.hpp"
#include "runtime/cluster/launch_here.hpp"
#include "runtime/loop/dynamic/dynamic_execution.hpp"
#include "runtime/loop/dynamic/update_limit.hpp"

namespace stradsap::rt {

static set_options sets_of(const launch_request& r, copy_service& copies, const options& o) {
  const schedule::dynamic_schedule& how = *r.dynamic;
  const bool can_be_free = how.by_accesses() && how.stated_priority() == nullptr && o.world_size == 1;
  return {how.dependence(),
          how.by_accesses() ? &copies : nullptr,
          how.threshold() < 0 ? r.model.rho() : how.threshold(),
          how.set_size(),
          how.shards(),
          how.candidates(),
          how.pipeline_depth() < 0 ? r.model.depth() : how.pipeline_depth(),
          o.free_running && can_be_free};
}

static void note_sets(const update_sets& sets, launch_record& record) {
  const set_counts counts = sets.counts();
  record.sets = counts.sets;
  record.shards = counts.shards;
  record.undone = counts.undone;
  record.dependence_calls = counts.questions;
  record.why_no_sets = sets.why_not();
  record.depth = counts.depth;
  record.sets_in_flight =
      counts.sets == 0 ? 0 : static_cast<double>(counts.in_flight) / static_cast<double>(counts.sets);
  record.rejected = counts.rejected;
  record.refilled = counts.refilled;
  record.set_bytes = counts.bytes;
  record.choice_seconds = counts.choice_seconds;
  record.set_seconds = counts.run_seconds;
  record.free_executors = counts.free_executors;
  if (counts.sets != 0) record.parallelism = static_cast<double>(counts.shards);
  if (counts.free_executors != 0) record.parallelism = counts.free_executors;
}

void driver::simulate_parallel(const launch_request& r, const dynamic_loop& loop) {
  const bool has_label = r.label != nullptr && *r.label != '\0';
  curves_.add(has_label ? std::string(r.label) : std::string(r.site),
              try_side_by_side(loop, settings().simulate_parallel, node_.pool()));
}

/// The other ranks, which take part in a dynamic loop if its updates run in sets.
class driver::dynamic_ranks {
 public:
  dynamic_ranks(driver& of, const launch_request& r, const abi::launch_key& key)
      : driver_(of), request_(r), key_(key) {}
  dynamic_ranks(const dynamic_ranks&) = delete;
  dynamic_ranks& operator=(const dynamic_ranks&) = delete;

  [[nodiscard]] set_ranks sets() {
    if (driver_.settings().world_size == 1) return {};
    return {&driver_.node_.ranks(), [this](const sets_shape& sets) { begin(sets); }};
  }
  /// Calls run(), and then ends the launch on all ranks that take part. Returns their ends but the driver's.
  template <class Run> [[nodiscard]] std::vector<done> around(const Run& run) {
    try {
      run();
    } catch (const rank_gave_up&) {
      refuse(end());
      throw;
    } catch (const std::exception& e) {
      if (!begun_) throw;
      driver_.node_.ranks().give_up(e.what());
      (void)end();
      throw;
    }
    return begun_ ? end() : std::vector<done>(1);
  }

 private:
  void begin(const sets_shape& sets) {
    launch l = driver_.describe_call(request_, key_);
    l.sets = sets;
    driver_.send_values(request_, l);
    for (driver_handle* handle : request_.containers) {
      if (handle != nullptr) handle->open_window();  // later writes are for the next launch
    }
    begun_ = true;
    for (rank_id to = 1; to < driver_.settings().world_size; ++to) driver_.node_.net()->send(to, l);
    driver_.node_.begin_part(l);
  }
  [[nodiscard]] std::vector<done> end() {
    const launch_id id{key_.number};
    driver_.node_.end_part(id);  // also if the ranks have given up
    std::vector<done> parts = driver_.gather(id, {});
    driver_.sent_values_.arrived();
    // the ranks have copies from before the end of the loop
    for (std::size_t c = 0; c < request_.containers.size(); ++c) {
      const abi::capture_info& capture = request_.entry->captures[c];
      if (request_.containers[c] != nullptr && is_written(capture))
        request_.containers[c]->take(capture.written, request_.site);
    }
    return parts;
  }
  void refuse(const std::vector<done>& parts) {
    driver_.sent_values_.forget();
    if (const failure* first = first_failure(parts)) rethrow(request_.site, *first);
  }

  driver& driver_;
  const launch_request& request_;
  const abi::launch_key key_;
  bool begun_ = false;
};

namespace {

/// Keeps the sizes of a loop's containers, for as long as the program's functions may be called.
class fixed_sizes {
 public:
  explicit fixed_sizes(const std::vector<driver_handle*>& containers) : containers_(containers) { fix(true); }
  fixed_sizes(const fixed_sizes&) = delete;
  fixed_sizes& operator=(const fixed_sizes&) = delete;
  ~fixed_sizes() { fix(false); }

 private:
  void fix(bool is_fixed) const {
    for (driver_handle* handle : containers_) {
      if (handle != nullptr) handle->fix_size(is_fixed);
    }
  }

  const std::vector<driver_handle*>& containers_;
};

}  // namespace

void driver::run_dynamic(const launch_request& r, const abi::launch_key& key) {
  launch_here here(r, key, node_.work());
  const fixed_sizes all(r.containers);
  refuse_second_names(here.frame());
  const update_limits limits = limits_of(*r.dynamic, r.n);
  const set_options sets = sets_of(r, node_.copies(), settings());
  has_run_free_ = has_run_free_ || sets.is_free;
  if (settings().simulate_parallel != 0)
    simulate_parallel(r, {here.frame(), here.partials(), limits, *r.dynamic, sets});
  dynamic_ranks others(*this, r, key);
  dynamic_execution solve(here.frame(), here.partials(), limits, *r.dynamic, sets,
                          sets.asks_for_sets() ? &node_.pool() : nullptr, others.sets());
  here.frame().begin(work_stage::running, limits.most_updates);
  std::optional<failure> failed;
  std::vector<done> parts = others.around([&] { failed = solve.run(); });
  if (failed) rethrow(r.site, *failed);
  here.keep_reductions();
  const bool is_alone = parts.size() == 1;
  parts[driver_rank] = here.result(node_.net());
  const update_order& order = solve.order();
  parts[driver_rank].work.iterations = is_alone ? order.updates() : solve.sets()->updates_here();
  warn_of_end(r.site, *r.dynamic, order);
  launch_record record = new_record(r, parts, is_alone ? 1 : settings().world_size * settings().threads);
  record.iterations = order.updates();
  record.planner = "dynamic";
  record.parallelism = 1;
  record.passes = order.passes();
  record.sweeps = order.sweeps();
  record.last_change = order.last_change();
  record.converged = order.has_converged();
  if (solve.sets() != nullptr) note_sets(*solve.sets(), record);
  keep(record, r);
  if (is_simulated(*r.entry))
    simulation_->ran_alone(r, key, parts[driver_rank].work.seconds_compute, "a dynamic loop");
}

}  // namespace stradsap::rt

// Loops of schedule::dynamic(), which the driver runs over its own handles. Thread rule: main thread.
#include <optional>

#include <fmt/format.h>

#include "runtime/base/log.hpp"
#include "runtime/cluster/driver.hpp"
#include "runtime/cluster/launch_here.hpp"
#include "runtime/loop/dynamic/dynamic_execution.hpp"

namespace stradsap::rt {

// A loop that has not converged by then will not, or its tolerance is beyond the precision of its numbers.
static constexpr std::int64_t most_passes = 1000;

/// Whether the program limits the updates.
static bool is_limited(const schedule::dynamic_schedule& how) {
  return how.most_passes() != 0 || how.most_updates() != 0;
}

static update_limits limits_of(const launch_request& r) {
  const schedule::dynamic_schedule& how = *r.dynamic;
  const schedule::dynamic_schedule limited = is_limited(how) ? how : how.passes(most_passes);
  return {static_cast<std::uint64_t>(limited.num_updates(r.n)), how.tolerance()};
}

static set_options sets_of(const launch_request& r) {
  const schedule::dynamic_schedule& how = *r.dynamic;
  return {how.dependence(), how.threshold() < 0 ? r.model.rho() : how.threshold(), how.set_size(),
          how.shards()};
}

/// Warns if the tolerance should have ended the loop, and a limit that the program did not set has.
static void warn_of_end(const launch_request& r, const update_order& order) {
  if (is_limited(*r.dynamic) || order.has_converged()) return;
  warn(
      fmt::format("{}: ended after {} updates, {} for each iteration, and has not converged: the last pass "
                  "changed an element by {:.1e} of the greatest, and until() asks for {:.1e}",
                  r.site, order.updates(), most_passes, order.last_change(), r.dynamic->tolerance()));
}

static void note_sets(const update_sets& sets, launch_record& record) {
  const set_counts counts = sets.counts();
  record.sets = counts.sets;
  record.shards = counts.shards;
  record.undone = counts.undone;
  record.dependence_calls = counts.questions;
  record.why_no_sets = sets.why_not();
  if (counts.sets != 0) record.parallelism = static_cast<double>(counts.shards);
}

void driver::simulate_parallel(const launch_request& r, const dynamic_loop& loop) {
  const bool has_label = r.label != nullptr && *r.label != '\0';
  curves_.add(has_label ? std::string(r.label) : std::string(r.site),
              try_side_by_side(loop, settings().simulate_parallel, node_.pool()));
}

void driver::run_dynamic(const launch_request& r, const abi::launch_key& key) {
  launch_here here(r, key, node_.work());
  refuse_second_names(here.frame());
  const update_limits limits = limits_of(r);
  const set_options sets = sets_of(r);
  if (settings().simulate_parallel != 0)
    simulate_parallel(r, {here.frame(), here.partials(), limits, r.dynamic->stated_priority(), sets});
  dynamic_execution solve(here.frame(), here.partials(), limits, r.dynamic->stated_priority(), sets,
                          sets.asks_for_sets() ? &node_.pool() : nullptr);
  here.frame().begin(work_stage::running, limits.most_updates);
  if (const std::optional<failure> f = solve.run()) rethrow(r.site, *f);
  here.keep_reductions();
  done d = here.result(node_.net());
  const update_order& order = solve.order();
  d.work.iterations = order.updates();
  warn_of_end(r, order);
  launch_record record = new_record(r, {&d, 1}, 1);
  record.iterations = order.updates();
  record.planner = "dynamic";
  record.parallelism = 1;
  record.passes = order.passes();
  record.sweeps = order.sweeps();
  record.last_change = order.last_change();
  record.converged = order.has_converged();
  if (solve.sets() != nullptr) note_sets(*solve.sets(), record);
  keep(record, r);
  if (is_simulated(*r.entry)) simulation_->ran_alone(r, key, d.work.seconds_compute, "a dynamic loop");
}

}  // namespace stradsap::rt

// Loops in ranges that one thread runs again and again. Thread rule: main thread.
#include <chrono>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/base/elapsed.hpp"
#include "runtime/base/faults.hpp"
#include "runtime/cluster/driver.hpp"
#include "runtime/cluster/launch_here.hpp"
#include "runtime/loop/blocks/kept_ranges.hpp"

namespace stradsap::rt {

static loop_frame frame_of(const resolved_request& r, work_counter& work) {
  std::vector<replica*> replicas;
  for (const driver_handle* handle : r.call.containers)
    replicas.push_back(handle == nullptr ? nullptr : &handle->local());
  launch l;
  l.site = r.call.site;
  l.n = r.call.n;
  l.map_accumulators = r.map_accumulators;
  l.large_accumulators = r.large_accumulators;
  loop_frame f = make_frame(*r.call.entry, l, /*seed=*/0, captured_values(), std::move(replicas));
  f.adds_in_place = r.large_accumulators != 0;
  f.work = &work;
  return f;
}

void driver::keep_repeat(const resolved_request& r, const loop_frame& f, const plan& made, const done& d) {
  range_repeats::repeat* const known = repeats_.find_any(r.call);
  if (known != nullptr) {
    if (known->loop.holds()) return known->loop.took(d.work.seconds_compute);
    repeats_.remove(r.call);
  }
  const bool is_of_library = (r.call.entry->flags & abi::of_library) != 0;
  if (!repeats_.may_keep() || is_of_library || d.work.planned ||
      !range_repeats::is_short(d.work.seconds_compute))
    return;
  const plan& runs = made.joined != nullptr ? *made.joined : made;
  if (!kept_ranges::can_keep(f, runs)) return;
  std::vector<container_id> containers;
  for (const driver_handle* handle : r.call.containers)
    containers.push_back(handle == nullptr ? container_id::none : handle->local().id());
  launch_record record = new_record(r.call, {&d, 1}, /*executors=*/1);
  add_plan(record, made, r);
  loop_total& total = stats_.loop_of(record);
  repeats_.add(r.call, std::unique_ptr<range_repeats::repeat>(new range_repeats::repeat{
                           r.call.site, r.call.n, std::move(containers), std::move(record), &total,
                           kept_ranges(frame_of(r, node_.work()), runs, node_.store())}));
}

driver::launch_times driver::run_again(const launch_request& r, const abi::launch_key& key,
                                       range_repeats::repeat& known) {
  const running_site site(r.site);
  bring_here(r);
  for (driver_handle* const handle : r.containers) {
    if (handle != nullptr) handle->local().hide_values();
  }
  const std::optional<failure> failed = known.loop.run(r.values.data(), key);
  if (failed) rethrow(r.site, *failed);
  known.loop.fold_reductions(r.reductions);
  counters work;
  work.iterations = static_cast<std::uint64_t>(r.n);
  work.seconds_compute = known.loop.seconds_compute();
  if (const transport* const net = node_.net(); net != nullptr) {
    work.bytes_sent = net->bytes_sent();
    work.bytes_received = net->bytes_received();
    note_holdings(r);
  }
  progress_.took();
  stats_.add_again(*known.total, known.record, seconds_since(launch_start_), work);
  return {0, work.seconds_compute};
}

}  // namespace stradsap::rt

// Loops under consistency::stale. A call returns when the driver's rank has ended it; other ranks may be as
// many calls behind as the bound says. The driver knows that call c has ended everywhere before it begins
// call c + bound + 1, so an exception surfaces in the same place of the program on any ranks. An access of
// the program to a container that the loop writes, or another loop over it, folds all calls first. A read of
// a running number only waits for the calls that fold into it. Thread rule: main thread.
#include <algorithm>
#include <exception>
#include <utility>

#include "runtime/base/log.hpp"
#include "runtime/cluster/driver.hpp"

namespace stradsap::rt {

/// Whether the capture is a stradsap::running: no call waits for its sum.
static bool is_running(const abi::capture_info& capture) { return capture.calls_of != nullptr; }

/// Whether the program reads a result of the call without a word to the driver.
static bool has_plain_reductions(const launch_request& r) {
  for (std::size_t c = 0; c < r.reductions.size(); ++c) {
    if (r.reductions[c] != nullptr && !is_running(r.entry->captures[c])) return true;
  }
  return false;
}

static void add_open(const abi::capture_info& capture, void* value) {
  abi::open_calls*& open = *capture.calls_of(value);
  if (open == nullptr) open = new abi::open_calls{value, 0};
  ++open->count;
}

static void drop_open(const abi::capture_info& capture, void* value) {
  abi::open_calls*& open = *capture.calls_of(value);
  if (--open->count == 0) delete std::exchange(open, nullptr);
}

/// One more call, or one less, folds into each of its running numbers.
static void count_open(const clocked_call& call, const abi::loop_entry& entry, bool begins) {
  for (std::size_t c = 0; c < call.reductions.size(); ++c) {
    if (call.reductions[c] == nullptr || !is_running(entry.captures[c])) continue;
    begins ? add_open(entry.captures[c], call.reductions[c])
           : drop_open(entry.captures[c], call.reductions[c]);
  }
}

/// Whether a call sees all calls that have come when it begins.
static bool is_free(const launch_request& r) {
  return std::any_of(r.relaxed.begin(), r.relaxed.end(), [](const auto& one) { return one && one->is_free; });
}

/// Whether the rank failed outside of bodies, so that its part of the clock is missing.
static bool has_failed_outside(const done& part) {
  return !part.failures.empty() && part.failures.front().iteration < 0;
}

// ---- a call ----

launch driver::describe_clock(const launch_request& r, const abi::launch_key& key,
                              const clocked_calls* before) {
  const resolved_request resolved = resolve(r, /*map_accumulators=*/0);
  launch l = describe_call(r, key);
  l.model = static_cast<std::uint8_t>(r.model.which());
  l.relaxed = as_sent(r.relaxed);
  l.clocks = before == nullptr ? l.id : before->first;
  l.clock = before == nullptr ? 0 : before->issued;
  if (settings().world_size == 1) return l;
  l.broadcast = to_broadcast(resolved);
  if (before != nullptr)  // the copies of accumulators have the elements
    std::erase_if(l.broadcast, [&](std::uint32_t c) { return is_written(r.entry->captures[c]); });
  send_values(r, l);
  return l;
}

/// From now on an access of the program to a container that the loop writes first folds its calls.
clocked_calls& driver::note_first_clock(const launch_request& r, const launch& l) {
  clocked_calls& made = *clocked_.emplace_back(std::make_unique<clocked_calls>(r, l.id));
  for (const clocked_container& one : made.written) {
    one.handle->hold_back([this, &made] {
      refuse_other_threads();
      settle(made);
    });
  }
  return made;
}

void driver::run_clock(const launch_request& r, const abi::launch_key& key) {
  const auto same =
      std::find_if(clocked_.begin(), clocked_.end(), [&](const auto& one) { return one->is_same(r); });
  clocked_calls* of = same == clocked_.end() ? nullptr : same->get();
  while (of != nullptr && of->open.size() > of->bound) end_first_call(*of);
  for (driver_handle* handle : r.containers) {
    if (handle != nullptr) handle->close_window();
  }
  const launch l = describe_clock(r, key, of);
  const bool is_first = of == nullptr;
  if (is_first) of = &note_first_clock(r, l);
  // Ranks fetch elements only in a call that all ranks have ended when it returns.
  const bool fetches = is_first || !l.updates.empty() || !l.broadcast.empty() || l.large.size != 0 ||
                       static_cast<std::uint64_t>(of->last) + 1 != static_cast<std::uint64_t>(l.id);
  for (rank_id to = 1; to < settings().world_size; ++to) node_.net()->send(to, l);
  clocked_call& call = of->open.emplace_back();
  call.id = of->last = l.id;
  call.reductions = r.reductions;
  count_open(call, *r.entry, /*begins=*/true);
  ++of->issued;
  call.parts.resize(static_cast<std::size_t>(settings().world_size));
  call.parts[driver_rank] = node_.perform(l, &r.values);
  call.record = new_record(r, {}, settings().world_size * settings().threads);
  call.record.planner = is_free(r) ? "free clocks" : "clocks";
  call.record.parallelism = static_cast<double>(std::min<std::int64_t>(r.n, relaxed_accumulators));
  for (std::size_t c = 0; c < r.containers.size(); ++c) {
    if (r.containers[c] != nullptr && !is_written(r.entry->captures[c]))
      r.containers[c]->reopen(gives_places(r.entry->captures[c]), settings().world_size == 1);
  }
  progress_.took();
  if (fetches) {
    await_end(call);
    sent_values_.arrived();
  }
  if (!is_first && !has_plain_reductions(r) && !has_failed_outside(call.parts[driver_rank])) return;
  while (!of->open.empty()) end_first_call(*of);
}

void driver::await_end(clocked_call& call) {
  if (!std::exchange(call.has_ended, true)) await_others(call.id, call.parts);
}

void driver::end_first_call(clocked_calls& of) {
  await_end(of.open.front());
  if (first_failure(of.open.front().parts) != nullptr) settle(of);  // throws
  clocked_call call = std::move(of.open.front());
  of.open.pop_front();
  keep_call(call, *of.entry);
}

void driver::keep_call(clocked_call& call, const abi::loop_entry& entry) {
  fold_reductions(entry, call.reductions, call.parts, /*before=*/nullptr);
  count_open(call, entry, /*begins=*/false);
  call.record.work.clear();
  add_parts(call.record, call.parts, entry);
  stats_.add(call.record);
}

// ---- the end of a loop's calls ----

void driver::settle(clocked_calls& loop) {
  const auto found =
      std::find_if(clocked_.begin(), clocked_.end(), [&](const auto& one) { return one.get() == &loop; });
  const std::unique_ptr<clocked_calls> of = std::move(*found);
  clocked_.erase(found);
  for (const clocked_container& one : of->written) one.handle->let_go();
  std::uint64_t folded = of->issued - of->open.size();
  std::optional<failure> failed;
  for (clocked_call& call : of->open) {
    await_end(call);
    const failure* const first = first_failure(call.parts);
    if (failed || first != nullptr) {
      if (!failed) failed = *first;
      count_open(call, *of->entry, /*begins=*/false);
      continue;
    }
    ++folded;
    keep_call(call, *of->entry);
  }
  const fold_clocks wanted{of->first, folded, launch_id{launches_}, next_step_of_recalls()};
  for (rank_id to = 1; to < settings().world_size; ++to) node_.net()->send(to, wanted);
  const std::exception_ptr of_merge = node_.perform(wanted);
  for (const clocked_container& one : of->written) {
    one.handle->note_loop(one.fields, of->site);
    if (one.is_relaxed) (void)one.handle->note_spread();  // all ranks hold all elements now
  }
  if (failed || of_merge != nullptr) sent_values_.forget();
  if (of_merge != nullptr) std::rethrow_exception(of_merge);
  if (failed) rethrow(of->site, *failed);
}

// ---- running numbers ----

void driver::catch_up(const void* value) {
  const auto folds = [&](const auto& of) { return of->folds_into(value); };
  while (true) {
    const auto found = std::find_if(clocked_.begin(), clocked_.end(), folds);
    if (found == clocked_.end()) return;
    end_first_call(**found);
  }
}

void driver::let_go(const void* value) {
  for (const auto& of : clocked_) {
    for (clocked_call& call : of->open) {
      for (std::size_t c = 0; c < call.reductions.size(); ++c) {
        if (call.reductions[c] != value) continue;
        drop_open(of->entry->captures[c], std::exchange(call.reductions[c], nullptr));
      }
    }
  }
}

void driver::catch_up_before(const launch_request& r) {
  for (std::size_t c = 0; c < r.reductions.size(); ++c) {
    void* const value = r.reductions[c];
    if (value == nullptr || !is_running(r.entry->captures[c])) continue;
    if (*r.entry->captures[c].calls_of(value) == nullptr) continue;
    const bool goes_on = std::any_of(clocked_.begin(), clocked_.end(),
                                     [&](const auto& of) { return of->is_same(r) && of->folds_into(value); });
    if (!goes_on) catch_up(value);
  }
}

// ---- before other loops, and at the end ----

void driver::settle_before(const launch_request& r) {
  const auto is_due = [&](const auto& of) {
    if (of->is_same(r)) return false;
    return std::any_of(r.containers.begin(), r.containers.end(),
                       [&](const driver_handle* one) { return one != nullptr && of->writes(one); });
  };
  while (true) {
    const auto due = std::find_if(clocked_.begin(), clocked_.end(), is_due);
    if (due == clocked_.end()) return;
    settle(**due);
  }
}

void driver::settle_at_end(container_id id) {
  const auto is_over = [&](const auto& of) {
    return std::find(of->containers.begin(), of->containers.end(), id) != of->containers.end();
  };
  while (true) {
    const auto ending = std::find_if(clocked_.begin(), clocked_.end(), is_over);
    if (ending == clocked_.end()) return;
    try {
      settle(**ending);
    } catch (const std::exception& e) {
      if (std::uncaught_exceptions() == 0) die(1, e.what());
      warn(e.what());  // the program ends by another exception, or catches that one
    }
  }
}

}  // namespace stradsap::rt

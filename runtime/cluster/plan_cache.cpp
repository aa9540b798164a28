#include "runtime/cluster/plan_cache.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace stradsap::rt {

plan_cost cost_of_plan(const std::vector<done>& parts) {
  plan_cost most;
  for (const done& d : parts) {
    most.seconds = std::max(most.seconds, d.work.seconds_plan);
    most.bytes = std::max<std::size_t>(most.bytes, d.work.plan_bytes);
  }
  return most;
}

std::size_t memory_for_plans(int ranks) {
  const auto pages = static_cast<std::size_t>(std::max(0L, ::sysconf(_SC_PHYS_PAGES)));
  const auto page = static_cast<std::size_t>(std::max(0L, ::sysconf(_SC_PAGESIZE)));
  return pages * page / 16 / static_cast<std::size_t>(std::max(1, ranks));
}

std::vector<std::uint64_t> inputs_of(const resolved_request& resolved) {
  const launch_request& r = resolved.call;
  const bool lists = resolved.lists_iterations;
  std::vector<std::uint64_t> parts{1};
  if (lists) parts = r.steering();
  parts.reserve(parts.size() + 3 * r.containers.size());
  for (std::size_t c = 0; c < r.containers.size(); ++c) {
    if (r.containers[c] == nullptr) continue;
    const driver_handle& handle = *r.containers[c];
    const abi::capture_info& capture = r.entry->captures[c];
    const bool decides = lists && (capture.mode & abi::steers) != 0;
    // lists of iterations name no groups of accumulated containers: their folds look these up
    const bool is_cut =
        (capture.mode & abi::writes) != 0 && !(lists && resolved.uses.by_capture[c] == usage::accumulated);
    parts.push_back(handle.versions().key(decides ? capture.steering : 0));
    parts.push_back(is_cut ? handle.local().partition_version() : 0);
    parts.push_back(handle.local().size());
  }
  return parts;
}

/// Versions of the aligned elements, which the plan holds as whole elements.
static std::vector<std::uint64_t> aligned_versions(const resolved_request& resolved) {
  const launch_request& r = resolved.call;
  std::vector<std::uint64_t> versions;
  if (!resolved.lists_iterations) return versions;
  for (std::size_t c = 0; c < r.containers.size(); ++c) {
    if (r.containers[c] == nullptr || (r.entry->captures[c].mode & abi::aligned) == 0) continue;
    versions.push_back(r.containers[c]->versions().key(abi::all_fields));
  }
  return versions;
}

bool can_hold(const resolved_request& resolved) {
  const launch_request& r = resolved.call;
  if (!resolved.lists_iterations) return true;
  if ((r.entry->flags & (abi::unknown_dependences | abi::random)) != 0) return false;
  for (std::size_t c = 0; c < r.containers.size(); ++c) {
    const abi::capture_info& capture = r.entry->captures[c];
    if (is_written(capture) && steers_itself(capture)) return false;
  }
  return true;
}

void watch_inputs(const resolved_request& r) {
  for (std::size_t c = 0; c < r.call.containers.size(); ++c) {
    if (r.call.containers[c] != nullptr && plan_depends_on(r, c)) r.call.containers[c]->watch();
  }
}

static std::uint64_t hash_of(const std::vector<std::uint64_t>& inputs) {
  return abi::hash_bytes(inputs.data(), inputs.size() * sizeof inputs[0]);
}

void plan_cache::find_beside(resolved_request& r) const {
  if (!r.lists_iterations) return;
  const auto found = records_.find(r.calls);
  if (found == records_.end() || found->second.earlier.size() < 2) return;
  const std::vector<std::uint64_t> inputs = inputs_of(r);
  if (found->second.inputs == inputs) return;
  const std::vector<std::uint64_t>& earlier = found->second.earlier;
  const std::uint64_t now = hash_of(inputs);
  if (std::find(earlier.begin(), earlier.end(), now) == earlier.end()) return;
  const std::uint64_t parts[] = {static_cast<std::uint64_t>(r.calls), now};
  r.plan = plan_id{abi::hash_bytes(parts, sizeof parts)};
}

bool plan_cache::has_moved(const resolved_request& r) const {
  const auto found = records_.find(r.calls);
  return found != records_.end() && !found->second.last.empty() && found->second.last != inputs_of(r);
}

bool plan_cache::holds(const resolved_request& r) const {
  const auto found = records_.find(r.plan);
  return keeps_ && found != records_.end() && !found->second.inputs.empty() &&
         found->second.inputs == inputs_of(r);
}

void plan_cache::prepare(const resolved_request& r, launch& l) const {
  const auto found = records_.find(r.plan);
  const record kept = found == records_.end() ? record{} : found->second;
  l.plan = r.plan;
  l.replan = !holds(r) || kept.is_lost;
  // A plan that held for one call only will hardly hold longer. Plans in turn would move the elements.
  l.use_plan_layout = keeps_ && can_hold(r) && kept.uses != 1 && r.plan == r.calls;
  l.refresh = !l.replan && kept.aligned != aligned_versions(r);
  const auto calls = records_.find(r.calls);
  l.pass = calls == records_.end() ? 0 : calls->second.pass;
}

/// The reason that no plan of the loop can hold.
static std::string why_never(const resolved_request& r) {
  const abi::loop_entry& entry = *r.call.entry;
  if ((entry.flags & abi::unknown_dependences) != 0)
    return "its subscripts depend on data that stradsap-cc cannot follow (--explain)";
  if ((entry.flags & abi::random) != 0)
    return "its subscripts are random draws; draw them in a loop before, into a container";
  for (std::size_t c = 0; c < r.call.containers.size(); ++c) {
    const abi::capture_info& capture = entry.captures[c];
    if (is_written(capture) && steers_itself(capture))
      return fmt::format("`{}`, which it writes, decides what it accesses", capture.name);
  }
  return {};
}

/// The reason by a captured value or, after these, a global variable.
static std::string why_value_changed(const abi::loop_entry& entry, std::size_t i) {
  if (i >= entry.num_captures)
    return "a global variable, which decides what it accesses, changes between its calls: --explain names it";
  return fmt::format(
      "the captured value `{}` decides what it accesses, and changes between its calls: let it decide only "
      "what the loop computes, as in `x += skip ? 0 : step`, not which elements it accesses",
      entry.captures[i].name);
}

/// The reason by a container that steers: which loop wrote it, or the program.
static std::string why_elements_changed(const launch_request& call, std::size_t c) {
  const abi::capture_info& capture = call.entry->captures[c];
  const char* const loop = call.containers[c]->last_writer(capture.steering);
  if (loop == nullptr)
    return fmt::format(
        "`{}` decides which elements it accesses, and changes between its calls, or the program reaches it "
        "without const: use std::as_const, or a const reference",
        capture.name);
  return fmt::format(
      "`{}` decides which elements it accesses, and the loop at {} writes it between its calls: keep what "
      "subscripts depend on in a container or a field that no loop writes",
      capture.name, loop);
}

/// The reason by the inputs that changed, in the order of inputs_of().
static std::string why_changed(const resolved_request& r, const std::vector<std::uint64_t>& before) {
  const launch_request& call = r.call;
  const std::vector<std::uint64_t> now = inputs_of(r);
  if (before.size() != now.size()) return "the loop's captures have changed";
  std::size_t at = call.entry->num_captures + call.entry->num_globals;
  for (std::size_t i = 0; i < at; ++i) {
    if (before[i] != now[i]) return why_value_changed(*call.entry, i);
  }
  for (std::size_t c = 0; c < call.containers.size(); ++c) {
    if (call.containers[c] == nullptr) continue;
    const char* const name = call.entry->captures[c].name;
    if (before[at] != now[at]) return why_elements_changed(call, c);
    if (before[at + 1] != now[at + 1]) return fmt::format("`{}` is cut anew", name);
    if (before[at + 2] != now[at + 2]) return fmt::format("the size of `{}` changes", name);
    at += 3;
  }
  return {};
}

std::string plan_cache::why_void(const resolved_request& r) const {
  const auto found = records_.find(r.calls);
  if (!r.lists_iterations || found == records_.end() || found->second.seen.empty()) return {};
  if (!keeps_) return "by --plan-cache 0";
  const std::string never = why_never(r);
  return never.empty() ? why_changed(r, found->second.seen) : never;
}

void plan_cache::completed(const resolved_request& r, const launch& l, bool failed, const plan_cost& cost) {
  watch_inputs(r);
  const auto of_blocks = records_.find(l.plan);
  // a plan for blocks that has turned to waves: how often time chose it is not to be seen
  if (l.as_waves && of_blocks != records_.end() && !of_blocks->second.is_timed) return;
  record& kept = records_[l.plan];
  num_timed_ -= kept.is_timed ? 1 : 0;
  set_bytes(kept, cost.bytes);
  const bool holds = !failed && can_hold(r);
  kept.inputs = holds ? inputs_of(r) : std::vector<std::uint64_t>();
  kept.aligned = aligned_versions(r);
  kept.uses = l.replan ? 1 : kept.uses + 1;
  kept.containers = l.containers;
  kept.last_use = l.id;
  if (l.replan) kept.seconds_plan = cost.seconds;
  kept.is_timed = l.as_waves || !r.lists_iterations;
  kept.is_lost = false;
  kept.is_guest = !l.replan && kept.is_guest;
  kept.turn = ++turns_;
  num_timed_ += kept.is_timed ? 1 : 0;
  if (const auto calls = records_.find(r.calls); calls != records_.end()) {
    calls->second.pass = l.pass + 1;
    calls->second.last_use = l.id;
    note_inputs(calls->second, r, holds);
  }
  make_room(l.plan, r.plan != r.calls);
  drop_oldest_records(records_.at(l.plan).is_timed);
}

/// `hold`: whether a plan with these inputs holds.
void plan_cache::note_inputs(record& of, const resolved_request& r, bool hold) {
  of.seen = inputs_of(r);
  if (!hold) return of.last.clear();
  if (of.last == of.seen) return;
  of.last = of.seen;
  const std::uint64_t now = hash_of(of.seen);
  if (!r.lists_iterations || std::find(of.earlier.begin(), of.earlier.end(), now) != of.earlier.end()) return;
  if (of.earlier.size() == most_earlier)
    of.earlier.erase(of.earlier.begin(), of.earlier.begin() + most_earlier / 4);
  of.earlier.push_back(now);
}

void plan_cache::set_bytes(record& of, std::size_t now) {
  bytes_ += now - of.bytes;
  num_plans_ += (now != 0 ? 1 : 0) - (of.bytes != 0 ? 1 : 0);
  of.bytes = now;
}

/// Lets ranks drop plans until the others fit. The newest plan stays in any case. `is_beside`: others of the
/// same calls are kept too, which may be many.
void plan_cache::make_room(plan_id newest, bool is_beside) {
  while (bytes_ > room_ && (num_plans_ > least_plans || is_beside)) {
    const auto next = next_to_drop(newest);
    if (next == records_.end()) {
      records_.at(newest).is_guest = true;
      return;
    }
    dropped_.push_back(next->first);
    next->second.is_lost = true;
    set_bytes(next->second, 0);
  }
}

/// A plan that does not hold; the one with the oldest use, if that is long ago; the last one for which there
/// was no room. The end if there is none.
std::map<plan_id, plan_cache::record>::iterator plan_cache::next_to_drop(plan_id newest) {
  auto is_void = records_.end(), oldest = records_.end(), guest = records_.end();
  for (auto at = records_.begin(); at != records_.end(); ++at) {
    const record& one = at->second;
    if (at->first == newest || one.bytes == 0) continue;
    const auto is_older = [&](auto than) { return than == records_.end() || one.turn < than->second.turn; };
    if (one.inputs.empty() && is_older(is_void)) is_void = at;
    if (one.is_guest && is_older(guest)) guest = at;
    if (is_older(oldest)) oldest = at;
  }
  if (is_void != records_.end()) return is_void;
  const std::uint64_t lately = 4 * num_plans_;
  if (oldest != records_.end() && turns_ - oldest->second.turn > lately) return oldest;
  return guest;
}

std::vector<plan_id> plan_cache::forget(const std::vector<container_id>& destroyed) {
  std::vector<plan_id> forgotten = std::exchange(dropped_, {});
  const auto gone = [&](const record& kept) {
    return std::find_first_of(kept.containers.begin(), kept.containers.end(), destroyed.begin(),
                              destroyed.end()) != kept.containers.end();
  };
  for (auto at = records_.begin(); !destroyed.empty() && at != records_.end();) {
    const auto one = at++;
    if (!gone(one->second)) continue;
    if (!one->second.is_lost) forgotten.push_back(one->first);
    num_timed_ -= one->second.is_timed ? 1 : 0;
    set_bytes(one->second, 0);
    records_.erase(one);
  }
  return forgotten;
}

/// Drops a quarter of the records of a kind, those with the oldest last uses, if there are too many.
void plan_cache::drop_oldest_records(bool is_timed) {
  const std::size_t count = is_timed ? num_timed_ : records_.size() - num_timed_;
  if (count <= most_records) return;
  std::vector<std::pair<launch_id, plan_id>> uses;
  for (const auto& [id, one] : records_) {
    if (one.is_timed == is_timed) uses.emplace_back(one.last_use, id);
  }
  const auto end = uses.begin() + static_cast<std::ptrdiff_t>(most_records / 4);
  std::nth_element(uses.begin(), end, uses.end());
  for (auto at = uses.begin(); at != end; ++at) {
    const auto one = records_.find(at->second);
    if (!one->second.is_lost) dropped_.push_back(one->first);
    num_timed_ -= is_timed ? 1 : 0;
    set_bytes(one->second, 0);
    records_.erase(one);
  }
}

void plan_cache::save(abi::writer& out) const {
  out(std::uint64_t{records_.size()});
  for (const auto& [id, kept] : records_) {
    record copy = kept;
    out(id);
    copy.serialize(out);
  }
}

void plan_cache::resume(abi::reader& in) {
  records_.clear();
  bytes_ = num_plans_ = num_timed_ = 0;
  for (std::size_t left = in.count(sizeof(plan_id)); left > 0; --left) {
    plan_id id{};
    in(id);
    record& kept = records_[id];
    kept.serialize(in);
    kept.is_lost = true;
    num_timed_ += kept.is_timed ? 1 : 0;
  }
}

double plan_cache::seconds_to_make(plan_id id) const {
  const auto found = records_.find(id);
  return found == records_.end() ? 0 : found->second.seconds_plan;
}

}  // namespace stradsap::rt

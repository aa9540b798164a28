#include "runtime/cluster/plan_cache.hpp"

#include <algorithm>

namespace stradsap::rt {

/// The inputs of a plan: values and contents that steer subscripts, sizes, and cuts of written containers.
static std::vector<std::uint64_t> inputs_of(const resolved_request& resolved) {
  const launch_request& r = resolved.call;
  const bool lists = resolved.lists_iterations;
  std::vector<std::uint64_t> parts{1};
  if (lists) parts = r.steering();
  for (std::size_t c = 0; c < r.containers.size(); ++c) {
    if (r.containers[c] == nullptr) continue;
    const driver_handle& handle = *r.containers[c];
    const abi::capture_info& capture = r.entry->captures[c];
    const bool decides = lists && (capture.mode & abi::steers) != 0;
    parts.push_back(handle.versions().key(decides ? capture.steering : 0));
    parts.push_back((capture.mode & abi::writes) != 0 ? handle.local().partition_version() : 0);
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

/// Whether the plan can hold for the next launch: not if the loop writes inputs of the plan, or if its
/// dependences are unknown.
static bool can_hold(const resolved_request& resolved) {
  const launch_request& r = resolved.call;
  if (!resolved.lists_iterations) return true;
  if ((r.entry->flags & (abi::unknown_dependences | abi::random)) != 0) return false;
  for (std::size_t c = 0; c < r.containers.size(); ++c) {
    const abi::capture_info& capture = r.entry->captures[c];
    if (is_written(capture) && steers_itself(capture)) return false;
  }
  return true;
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
  l.replan = !holds(r);
  // A plan that held for one call only will hardly hold longer.
  l.use_plan_layout = keeps_ && can_hold(r) && kept.uses != 1;
  l.refresh = !l.replan && kept.aligned != aligned_versions(r);
  l.pass = kept.pass;
}

void plan_cache::completed(const resolved_request& r, const launch& l, bool failed, double seconds_plan) {
  record& kept = records_[l.plan];
  kept = {failed || !can_hold(r) ? std::vector<std::uint64_t>() : inputs_of(r),
          aligned_versions(r),
          l.pass + 1,
          l.replan ? 1 : kept.uses + 1,
          l.containers,
          l.id,
          l.replan ? seconds_plan : kept.seconds_plan};
}

std::vector<plan_id> plan_cache::forget(const std::vector<container_id>& destroyed) {
  constexpr std::size_t most_plans = 64;
  std::vector<plan_id> forgotten;
  const auto gone = [&](const record& kept) {
    return std::find_first_of(kept.containers.begin(), kept.containers.end(), destroyed.begin(),
                              destroyed.end()) != kept.containers.end();
  };
  for (const auto& [id, kept] : records_) {
    if (gone(kept)) forgotten.push_back(id);
  }
  if (forgotten.empty() && records_.size() > most_plans) {
    const auto older = [](const auto& a, const auto& b) { return a.second.last_use < b.second.last_use; };
    forgotten.push_back(std::min_element(records_.begin(), records_.end(), older)->first);
  }
  for (const plan_id id : forgotten) records_.erase(id);
  return forgotten;
}

double plan_cache::seconds_to_make(plan_id id) const {
  const auto found = records_.find(id);
  return found == records_.end() ? 0 : found->second.seconds_plan;
}

}  // namespace stradsap::rt

// Loops that only add into dmaps: by accumulators, or by a plan that cuts the maps. Thread rule: the
// driver's.
#include <algorithm>
#include <bit>

#include "runtime/cluster/driver.hpp"

namespace stradsap::rt {

/// Accumulators for additions of whole numbers: few, since each has entries of its own, but enough for
/// executors to take them from each other.
std::uint32_t driver::map_accumulators() const {
  constexpr std::uint32_t each = 4;
  constexpr std::uint32_t most = 64;
  const auto executors = static_cast<std::uint32_t>(num_executors());
  return executors == 1 ? 1 : std::min(most, std::bit_ceil(each * executors));
}

/// The inputs of the subscripts at which the loop adds.
static std::vector<std::uint64_t> places_of(const launch_request& r) {
  std::vector<std::uint64_t> parts = r.steering;
  for (std::size_t c = 0; c < r.containers.size(); ++c) {
    const abi::capture_info& capture = r.entry->captures[c];
    if (r.containers[c] == nullptr || (capture.mode & abi::steers) == 0) continue;
    parts.push_back(store_of(r, c).versions().key(capture.steering));
    parts.push_back(store_of(r, c).size());
  }
  return parts;
}

static std::vector<container_id> containers_of(const launch_request& r) {
  std::vector<container_id> ids;
  for (std::size_t c = 0; c < r.containers.size(); ++c) {
    if (r.containers[c] != nullptr) ids.push_back(store_of(r, c).id());
  }
  return ids;
}

driver::adding_calls& driver::count_call(const launch_request& r) {
  constexpr std::size_t most_loops = 1024;
  const plan_id id = plan_id_of(r);
  std::erase_if(adding_, [&](const auto& one) {
    const auto& of = one.second.containers;
    return std::find_first_of(of.begin(), of.end(), destroyed_.begin(), destroyed_.end()) != of.end();
  });
  if (adding_.size() >= most_loops && !adding_.contains(id)) {
    const auto older = [](const auto& a, const auto& b) { return a.second.last < b.second.last; };
    adding_.erase(std::min_element(adding_.begin(), adding_.end(), older));
  }
  adding_calls& calls = adding_[id];
  std::vector<std::uint64_t> places = places_of(r);
  if (calls.places != places) calls = {};
  calls.places = std::move(places);
  calls.containers = containers_of(r);
  calls.last = launches_;
  ++calls.alike;
  return calls;
}

/// Whether the result has the same bits in any order.
static bool is_exact(const launch_request& r) {
  const auto rounds = [](const abi::capture_info& capture) {
    return capture.kind == abi::capture_kind::reduction && (capture.mode & abi::exact) == 0;
  };
  return uses_in(r).is_exact &&
         std::none_of(r.entry->captures, r.entry->captures + r.entry->num_captures, rounds);
}

/// If several calls in a row had the same places, more may follow, and a plan is worth its time while it
/// holds. It is not used if it leaves executors idle. For sums of fractions the plan changes the bits, so the
/// choice must not depend on the number of executors: then it is not used if its parallelism is below 2.
void driver::run_adding(launch_request& r, const abi::launch_key& key) {
  constexpr std::uint64_t calls_before_plan = 4;
  const bool is_followed = (r.entry->flags & (abi::unknown_dependences | abi::random)) == 0;
  const double least_parallelism = is_exact(r) ? 0.75 * num_executors() : 2;
  const std::uint32_t accumulators = r.map_accumulators;
  adding_calls& calls = count_call(r);
  if (is_followed && settings().plan_cache && !calls.cuts_badly && calls.alike > calls_before_plan) {
    r.map_accumulators = 0;
    const bool is_first = calls.alike == calls_before_plan + 1;
    if (!is_first && !has_plan(r)) {
      r.map_accumulators = accumulators;
      calls.alike = 1;
    }
  }
  run_everywhere(r, key);
  if (r.map_accumulators != 0) return;
  calls.cuts_badly = parallelism_of(*plan_of(plan_id_of(r)), r.n) < least_parallelism;
}

}  // namespace stradsap::rt

// Loops that only add into dmaps: by entries of lanes, or by a plan that cuts the maps.
#include <algorithm>
#include <bit>

#include "runtime/cluster/driver.hpp"

namespace stradsap::rt {

/// Whole numbers are added by few lanes, whose entries are few: enough that executors can help each other.
std::uint32_t driver::map_lanes() const {
  constexpr std::uint32_t each = 4;
  constexpr std::uint32_t most = 64;
  const auto executors = static_cast<std::uint32_t>(num_executors());
  return executors == 1 ? 1 : std::min(most, std::bit_ceil(each * executors));
}

/// Once several calls had the same places, so may others: then a plan is worth its time, unless nearly all
/// iterations add to the same. What decides is a function of the program and its data.
void driver::run_adding(launch_request& r, const abi::launch_key& key) {
  constexpr std::uint64_t calls_before_plan = 8;
  constexpr double least_parallelism = 4;
  const bool is_followed = (r.entry->flags & (abi::opaque | abi::random)) == 0;
  const plan_id counted = plan_id_of(r);
  {
    plan_key& kept = kept_[counted];
    kept.calls_alike = kept.inputs == key_parts(r, /*lists=*/true) ? kept.calls_alike + 1 : 1;
    const bool has_plan = kept.calls_alike > calls_before_plan && is_followed && settings().plan_cache;
    if (has_plan && !kept.cuts_badly) r.map_lanes = 0;
  }
  run_everywhere(r, key);
  plan_key& kept = kept_[counted];
  kept.inputs = key_parts(r, /*lists=*/true);
  if (r.map_lanes == 0) kept.cuts_badly = parallelism_of(*plan_of(plan_id_of(r)), r.n) < least_parallelism;
}

}  // namespace stradsap::rt

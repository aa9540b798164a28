// Plans of loops in ranges that the driver's rank runs alone, kept between calls. A plan holds while the
// sizes of the loop's containers and the cuts of those that it writes stay the same; that of disjoint
// iterations also depends on the data that steer the loop. Thread rule: main thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "runtime/cluster/plan_cache.hpp"
#include "runtime/loop/launch/launch_request.hpp"
#include "runtime/loop/plan/plan.hpp"

namespace stradsap::rt {

class range_plans {
 public:
  /// `keeps`: false to make a plan for every launch.
  explicit range_plans(bool keeps) : keeps_(keeps) {}

  /// The plan of the loop for so many executors: make() makes it, if it is not here or does not hold. Valid
  /// until the next call.
  template <class Make> plan& find(const resolved_request& r, int executors, const Make& make) {
    constexpr std::size_t most_plans = 64;
    if (plans_.size() > most_plans) plans_.clear();  // of containers that are gone
    kept& known = plans_[{r.plan, executors}];
    if (!keeps_ || !holds(known, r)) {
      known.inputs.clear();
      known.made = make();
      known.inputs = r.lists_iterations ? inputs_of_listed(r) : std::vector<std::uint64_t>();
      if (!r.lists_iterations) for_each_input(r, [&](std::uint64_t input) { known.inputs.push_back(input); });
    }
    return known.made;
  }

 private:
  struct kept {
    plan made;
    std::vector<std::uint64_t> inputs;  // empty if making it failed
  };

  template <class Each> static void for_each_input(const resolved_request& r, const Each& each) {
    each(1);
    for (std::size_t c = 0; c < r.call.containers.size(); ++c) {
      if (r.call.containers[c] == nullptr) continue;
      const replica& local = r.call.containers[c]->local();
      each(local.size());
      each(is_written(r.call.entry->captures[c]) ? local.partition_version() : 0);
    }
  }
  /// Empty if the plan cannot hold.
  static std::vector<std::uint64_t> inputs_of_listed(const resolved_request& r) {
    return can_hold(r) ? inputs_of(r) : std::vector<std::uint64_t>();
  }
  static bool holds(const kept& known, const resolved_request& r) {
    if (r.lists_iterations) return !known.inputs.empty() && known.inputs == inputs_of_listed(r);
    std::size_t at = 0;
    bool same = !known.inputs.empty();
    for_each_input(r, [&](std::uint64_t input) { same = same && known.inputs[at++] == input; });
    return same;
  }

  const bool keeps_;
  std::map<std::pair<plan_id, int>, kept> plans_;
};

}  // namespace stradsap::rt

// Plans of loops in ranges that the driver's rank runs alone, kept between calls. A plan holds while the
// sizes of the loop's containers and the cuts of those that it writes stay the same; that of disjoint
// iterations also depends on the data that steer the loop. Thread rule: main thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "runtime/cluster/plan_cache.hpp"
#include "runtime/cluster/recently_used.hpp"
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
    const std::uint64_t key = key_of(r.plan, executors);
    kept* const known = keeps_ ? plans_.find(key) : nullptr;
    if (known != nullptr && holds(*known, r)) return known->made;
    last_ = {make(), {}};
    if (r.lists_iterations) {
      last_.inputs = inputs_of_listed(r);
    } else {
      for_each_input(r, [&](std::uint64_t input) { last_.inputs.push_back(input); });
    }
    if (!keeps_ || last_.inputs.empty()) return last_.made;
    const block_plan& blocks = last_.made;
    const block_plan* const joined = last_.made.joined.get();
    const std::size_t of_joined = joined == nullptr ? 0 : sizeof(plan) + size_bytes_of(*joined);
    kept* const place = plans_.add(key, std::move(last_), sizeof(kept) + size_bytes_of(blocks) + of_joined);
    return place == nullptr ? last_.made : place->made;
  }

 private:
  struct kept {
    plan made;
    std::vector<std::uint64_t> inputs;  // not empty, unless the plan cannot hold
  };
  static constexpr std::size_t most_plans = 1024;
  static constexpr std::size_t most_bytes = std::size_t{64} << 20;

  static std::uint64_t key_of(plan_id id, int executors) {
    return static_cast<std::uint64_t>(id) + static_cast<std::uint64_t>(executors) * 0x9e3779b97f4a7c15;
  }

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
    if (r.lists_iterations) return known.inputs == inputs_of_listed(r);
    std::size_t at = 0;
    bool same = true;
    for_each_input(r, [&](std::uint64_t input) { same = same && known.inputs[at++] == input; });
    return same;
  }

  const bool keeps_;
  recently_used<kept> plans_{most_plans, most_bytes};
  kept last_;  // if it was not added
};

}  // namespace stradsap::rt

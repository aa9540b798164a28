// The choice for loops that only add into dmaps: accumulators, or a plan that cuts the maps. Thread rule:
// main thread.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "runtime/loop/launch/launch_request.hpp"

namespace stradsap::rt {

class map_additions {
 public:
  /// `executors`: of all ranks. `keeps_plans`: false if every launch makes a plan.
  map_additions(int executors, bool keeps_plans) : executors_(executors), keeps_plans_(keeps_plans) {}

  /// The number of accumulators for additions of whole numbers.
  [[nodiscard]] std::uint32_t accumulators() const;

  struct decision {
    bool cuts_maps = false;  // by a plan; else by accumulators
    bool must_hold = false;  // only if a plan exists already and holds
  };
  /// The choice for the next call. `destroyed`: containers since the last launch.
  [[nodiscard]] decision decide(const resolved_request& r, const std::vector<container_id>& destroyed);
  /// The plan of the loop did not hold: the next calls use accumulators.
  void plan_failed(const resolved_request& r) { calls_.at(r.plan).alike = 1; }
  /// The loop ran by a plan with that parallelism.
  void cut(const resolved_request& r, double parallelism);

  /// For a checkpoint: the calls so far.
  void save(abi::writer& out) const;
  void resume(abi::reader& in);

 private:
  /// The calls so far of one loop.
  struct calls {
    std::vector<std::uint64_t> places;  // inputs of the subscripts at the last call
    std::uint64_t alike = 0;            // calls in a row with these inputs
    bool cuts_badly = false;            // a plan left too little parallelism
    std::vector<container_id> containers;
    std::uint64_t last = 0;  // number of the last call

    template <class Archive> void serialize(Archive& archive) {
      archive(places, alike, cuts_badly, containers, last);
    }
  };
  calls& count(const resolved_request& r, const std::vector<container_id>& destroyed);

  const int executors_;
  const bool keeps_plans_;
  std::uint64_t num_calls_ = 0;
  std::map<plan_id, calls> calls_;  // by the plan of a call that accumulates
};

}  // namespace stradsap::rt

// The shares of ranks, or of wave threads. The times of a launch go to the loop's share_balance, and the next
// launch carries the new shares. Thread rule: main thread.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "runtime/base/options.hpp"
#include "runtime/loop/launch/launch_request.hpp"
#include "runtime/loop/plan/plan.hpp"
#include "runtime/loop/plan/share_balance.hpp"
#include "runtime/wire/messages.hpp"

namespace stradsap::rt {

class load_balancer {
 public:
  explicit load_balancer(const options& o)
      : ranks_(o.world_size), threads_(o.threads), simulates_(o.simulate.has_value()) {}

  /// Sets the shares of the launch.
  void prepare(const resolved_request& r, launch& l) const;
  /// Passes the times of a launch to the shares of the next one. `made`: its plan, or null. `seconds_plan`:
  /// the time to make that plan.
  void completed(const resolved_request& r, const launch& l, const std::vector<done>& parts, const plan* made,
                 double seconds_plan);
  void forget(const std::vector<plan_id>& plans);

 private:
  [[nodiscard]] share_balance& balance_for(std::uint64_t key, std::uint64_t n, int ranks,
                                           int executors_per_rank);
  void balance_blocks(const resolved_request& r, const std::vector<done>& parts, const plan& p);
  void balance_waves(const plan& p, const launch& l, const std::vector<done>& parts, double seconds_plan);
  void balance_shards(const launch& l, const std::vector<done>& parts);

  const int ranks_;
  const int threads_;  // of each rank
  const bool simulates_;
  std::map<std::uint64_t, share_balance> balances_;  // by plan, or by the number of iterations
};

}  // namespace stradsap::rt

// What the simulation says of one loop, and how that is told: what limits the loop, and a sentence of advice
// where that is clear. Thread rule: values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/base/simulated_cluster.hpp"
#include "runtime/observe/launch_model.hpp"

namespace stradsap::rt {

enum class loop_limit : std::uint8_t { nothing, critical_path, balance, network, latency, launch, one_lane };

/// One loop on one cluster, a launch of it on average.
struct loop_prediction {
  std::string site;
  std::string label;
  simulated_cluster on;
  std::uint64_t launches = 0;
  double iterations = 0;
  std::string why_alone;  // it runs on one lane
  bool is_by_waves = false;
  bool is_in_batches = false;
  launch_outcome launch;
  double seconds_free = 0;  // on a network that costs nothing
  double seconds_late = 0;  // on one with the latency alone

  [[nodiscard]] int lanes() const { return on.ranks * on.threads; }
  [[nodiscard]] double seconds_one_lane() const { return launch.seconds_work + launch.seconds_around; }
  [[nodiscard]] double speedup() const {
    return launch.seconds > 0 ? seconds_one_lane() / launch.seconds : 1;
  }
  [[nodiscard]] double efficiency() const { return speedup() / lanes(); }
  /// The mean of the lanes over the busiest one.
  [[nodiscard]] double balance() const;
  /// The longest chain's part of the work.
  [[nodiscard]] double chain_share() const;
};

/// Of what is lost against all lanes busy all the time, the greatest part.
[[nodiscard]] loop_limit limit_of(const loop_prediction& p);
[[nodiscard]] std::string name_of(loop_limit limit);
/// A sentence, or nothing.
[[nodiscard]] std::string advice_on(const loop_prediction& p);

/// Lines for people. `measured_threads`: on which blocks were measured.
[[nodiscard]] std::vector<std::string> table_of(const std::vector<loop_prediction>& loops,
                                                const simulated_cluster& on, int measured_threads);

}  // namespace stradsap::rt

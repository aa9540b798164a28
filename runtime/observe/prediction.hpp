// The prediction for one loop and its text: the loop's limit, and a sentence of advice if the limit is clear.
// Thread rule: values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/base/simulated_cluster.hpp"
#include "runtime/observe/launch_model.hpp"

namespace stradsap::rt {

enum class loop_limit : std::uint8_t {
  nothing,
  critical_path,
  balance,
  network,
  latency,
  launch,
  one_thread
};

/// One loop on one cluster; the numbers of `launch` are means of a launch.
struct loop_prediction {
  std::string site;
  std::string label;
  simulated_cluster on;
  std::uint64_t launches = 0;
  double iterations = 0;
  std::string why_alone;  // not empty: it runs on one thread
  bool is_by_waves = false;
  bool is_in_batches = false;
  launch_outcome launch;
  double seconds_free = 0;  // of the last launch, on a network of no cost
  double seconds_late = 0;  // of the last launch, on a network with latency only

  [[nodiscard]] int num_threads() const { return on.ranks * on.threads; }
  [[nodiscard]] double seconds_one_thread() const { return launch.seconds_work + launch.seconds_around; }
  [[nodiscard]] double speedup() const {
    return launch.seconds > 0 ? seconds_one_thread() / launch.seconds : 1;
  }
  [[nodiscard]] double efficiency() const { return speedup() / num_threads(); }
  /// The mean work of the executors over that of the busiest one.
  [[nodiscard]] double balance() const;
  /// The longest chain over the work.
  [[nodiscard]] double chain_share() const;
};

/// The largest part of the loss against executors that are always busy.
[[nodiscard]] loop_limit limit_of(const loop_prediction& p);
[[nodiscard]] std::string name_of(loop_limit limit);
/// A sentence, or an empty string.
[[nodiscard]] std::string advice_on(const loop_prediction& p);

/// The table for people. `measured_threads`: threads of the measured run.
[[nodiscard]] std::vector<std::string> table_of(const std::vector<loop_prediction>& loops,
                                                const simulated_cluster& on, int measured_threads);

}  // namespace stradsap::rt

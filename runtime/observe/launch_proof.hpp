// Brings what all ranks logged of a launch to the driver, where find_serial_order() judges it. A fault ends
// the run at once, with a line as compilers print errors. Thread rule: one thread a rank; judge() is a
// collective.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/loop/execution.hpp"
#include "runtime/net/exchange.hpp"

namespace stradsap::rt {

/// What the driver makes of all logs: it ends the run at a fault, and appends the order that was found to the
/// file `order_path`, unless that is empty. `declared`: as in launch_evidence.
void judge_order(const loop_frame& frame, std::vector<std::uint32_t> declared, bool failed,
                 std::vector<access_log> logs, const std::string& order_path);

class launch_proof {
 public:
  /// Notes what this rank owns, before anything runs.
  launch_proof(const loop_frame& frame, exchange& ranks);

  /// After all elements are back with their owners: judge_order() on the driver. `declared`: the plan's order
  /// of blocks.
  void judge(std::vector<std::uint32_t> declared, loop_result& result, const std::string& order_path);

 private:
  const loop_frame& frame_;
  exchange& ranks_;
  std::vector<logged_state> start_;
};

}  // namespace stradsap::rt

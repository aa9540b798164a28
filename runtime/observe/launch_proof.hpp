// Sends the access logs of all ranks to the driver, where find_serial_order() checks them. A fault ends the
// run at once, with a line in the form of a compiler's error. Thread rule: one thread of each rank;
// `verify()` is a collective.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/loop/blocks/execution.hpp"
#include "runtime/net/exchange.hpp"

namespace stradsap::rt {

/// Checks the logs of all ranks: ends the run at a fault, else appends the serial order to the file
/// `order_path`, unless that is empty. `declared`: as in launch_evidence.
void verify_order(const loop_frame& frame, std::vector<std::uint32_t> declared, bool failed,
                  std::vector<access_log> logs, const std::string& order_path);

/// Appends program order to the file `order_path`, unless that is empty: one thread has run the loop in it.
void note_program_order(const loop_frame& frame, const std::string& order_path);

class launch_proof {
 public:
  /// Records the elements that this rank owns, before any body runs.
  launch_proof(const loop_frame& frame, exchange& ranks);

  /// Call it after all elements are back with their owners; the driver runs verify_order(). `declared`: the
  /// plan's order of blocks.
  void verify(std::vector<std::uint32_t> declared, loop_result& result, const std::string& order_path);

 private:
  const loop_frame& frame_;
  exchange& ranks_;
  std::vector<logged_state> start_;
};

}  // namespace stradsap::rt

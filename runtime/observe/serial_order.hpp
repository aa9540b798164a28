// Proves that a launch had a serial order. From the logged accesses of iterations
// (runtime/loop/access/access_log.hpp) it builds the graph of conflicts. A contradiction to every serial
// order, or to the one that the plan declares, is a fault. The limits of the proof: docs/consistency.md.
// Thread rule: values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/loop/access/access_log.hpp"

namespace stradsap::rt {

/// The logs of all ranks for one launch.
struct launch_evidence {
  std::string site;
  std::vector<std::string> containers;  // by capture: names in the program
  std::int64_t n = 0;
  std::vector<std::uint32_t> declared;  // the plan's order of blocks; within a block program order
  bool failed = false;                  // a body threw, so some iterations need not have run
  std::vector<access_log> logs;
};

struct serial_order_verdict {
  std::string fault;                // FILE:LINE: error: ...; empty without a fault
  std::vector<std::int64_t> order;  // iterations; derived from the logs, not from the plan
};

/// Checks the evidence; stops at the first fault.
[[nodiscard]] serial_order_verdict find_serial_order(const launch_evidence& seen);

}  // namespace stradsap::rt

// The proof that a launch had a serial order: from what its iterations saw (runtime/loop/access_log.hpp) the
// graph of conflicts is built, and whatever contradicts a serial order, or the one that the plan declares, is
// a fault. What is proven, and what is not: docs/consistency.md. Thread rule: values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/loop/access_log.hpp"

namespace stradsap::rt {

/// All that the ranks noted of one launch.
struct launch_evidence {
  std::string site;
  std::vector<std::string> containers;  // per capture: what the program calls it
  std::int64_t n = 0;
  std::vector<std::uint32_t> declared;  // the plan's order of blocks; within a block the program's
  bool failed = false;                  // a body threw: not all iterations had to run
  std::vector<access_log> logs;
};

struct serial_order_verdict {
  std::string fault;                // FILE:LINE: error: ...; empty where there is none
  std::vector<std::int64_t> order;  // iterations; found from what they saw, not from the plan
};

[[nodiscard]] serial_order_verdict find_serial_order(const launch_evidence& seen);

}  // namespace stradsap::rt

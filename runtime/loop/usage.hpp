// How a loop uses each captured container, which decides what the runtime does with it. A function of the
// loop, its number of iterations and the containers' sizes: the same on all ranks. Thread rule: values.
#pragma once

#include <cstdint>
#include <vector>

#include <stradsap/abi.hpp>

#include "runtime/dds/container_store.hpp"

namespace stradsap::rt {

enum class usage : std::uint8_t {
  none,          // no container
  read,          // copies wherever it is read
  aligned_read,  // element j by iteration j alone
  aligned_write,
  owned,        // written at computed subscripts: groups are tokens
  accumulated,  // only added into: private copies, folded
};

struct loop_uses {
  std::vector<usage> by_capture;
  std::uint32_t delta_lanes = 0;  // a power of two, where containers are accumulated
  bool is_exact = true;           // additions into these may be regrouped without changing a bit

  /// By so many lanes at most.
  void accumulate(std::size_t capture, std::uint32_t lanes, bool exactly);
};

/// `stores`: per capture, null for what is no container. `map_lanes`: as of launch.
[[nodiscard]] loop_uses uses_of(const abi::loop_entry& entry, std::int64_t n, ConsistencyModel::kind model,
                                const std::vector<container_store*>& stores, std::uint32_t map_lanes);

}  // namespace stradsap::rt

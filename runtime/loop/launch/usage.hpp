// The use of each captured container by a loop. The runtime chooses its treatment by it. It depends on the
// loop, its number of iterations and the containers' sizes, so it is the same on all ranks. Thread rule:
// values.
#pragma once

#include <cstdint>
#include <vector>

#include <stradsap/abi/abi.hpp>

#include "runtime/dds/replica.hpp"

namespace stradsap::rt {

enum class usage : std::uint8_t {
  none,          // no container
  read,          // copies on every rank that reads it
  aligned_read,  // iteration j alone accesses element j
  aligned_write,
  owned,        // written at computed places: its groups are tokens
  accumulated,  // only added into: accumulators, folded after the loop; late sums are also read there
};

struct loop_uses {
  std::vector<usage> by_capture;
  std::uint32_t num_accumulators = 0;  // accumulators: a power of two, or 0
  bool is_exact = true;                // regrouping the additions changes no bit
  std::vector<std::size_t> too_large;  // to send: captures that `large_accumulators` alone gives accumulators

  /// Accumulates into `capture`, with at most `accumulators` accumulators.
  void accumulate(std::size_t capture, std::uint32_t accumulators, bool exactly);
  void accumulate_large(std::size_t capture, std::uint32_t accumulators, bool exactly);
};

/// Whether the body adds into the container and reads it as of the start of the loop: access(adds_late).
[[nodiscard]] bool is_late_sum(const abi::capture_info& capture);

/// `replicas`: per capture, null if it is no container. The numbers of accumulators: see `launch`.
[[nodiscard]] loop_uses uses_of(const abi::loop_entry& entry, std::int64_t n, ConsistencyModel::kind model,
                                const std::vector<replica*>& replicas, std::uint32_t map_accumulators,
                                std::uint32_t large_accumulators);

}  // namespace stradsap::rt

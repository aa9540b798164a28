// New keys of dmaps: met by several ranks at once, numbered alike on all.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/dds/replica.hpp"
#include "runtime/net/exchange.hpp"

namespace stradsap::rt {

/// Every rank brings the keys it met, list by list in order of iterations; all get slots in that order.
/// Returns the slots of this rank's own lists. A collective.
[[nodiscard]] std::vector<std::vector<std::uint64_t>> agree_on_keys(
    replica& local, const std::vector<const abi::key_index*>& mine, exchange& ranks);

}  // namespace stradsap::rt

// The counts of signatures of all ranks together. Thread rule: one thread a rank; a collective.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/loop/blocks/signature_counts.hpp"
#include "runtime/net/exchange.hpp"

namespace stradsap::rt {

/// The captures that every iteration touches, in order. Empty if iterations differ; none without iterations.
using touch_pattern = std::optional<std::vector<std::uint32_t>>;

struct total_counts {
  signature_counts counts;
  std::vector<std::uint32_t> pattern;  // of all ranks that have iterations, or empty
};

/// Adds up the counts of all ranks as they come, so a rank never has those of another one whole. Throws
/// error(errc::decode) and rank_gave_up.
[[nodiscard]] total_counts add_up(exchange& ranks, const signature_counts& mine,
                                  const touch_pattern& pattern);

}  // namespace stradsap::rt

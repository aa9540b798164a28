// Reconnaissance of a loop: what each iteration of this rank's share touches.
// Thread rule: one thread a rank; a collective.
#pragma once

#include <vector>

#include "runtime/loop/access_sets.hpp"
#include "runtime/loop/planner.hpp"

namespace stradsap::rt {

/// Consecutive iterations that one executor inspected.
struct inspected_part {
  std::int64_t begin = 0;
  access_sets sets;
};

/// The share of rank r: iterations [share_begin(r), share_begin(r + 1)).
[[nodiscard]] std::int64_t share_begin(const planning& in, rank_id r);

struct inspection {
  std::vector<inspected_part> parts;  // of this rank's share, one per executor
  /// Per capture: so many elements side by side are always touched together, and stand in the sets by their
  /// first. Groups are not cut within them. The same on all ranks.
  std::vector<std::uint64_t> units;
};

/// Inspects this rank's share. Keys that are new get slots, the same on all ranks. A collective.
[[nodiscard]] inspection inspect(const planning& in);

/// A sum over touches, so that it does not depend on who inspected what.
[[nodiscard]] std::uint64_t hash_of(const std::vector<inspected_part>& parts);

}  // namespace stradsap::rt

// Reconnaissance of a loop: the touches of each iteration of this rank's share.
// Thread rule: one thread a rank; a collective.
#pragma once

#include <vector>

#include "runtime/loop/access/access_sets.hpp"
#include "runtime/loop/plan/planning.hpp"

namespace stradsap::rt {

/// Consecutive iterations that one executor inspected.
struct inspected_part {
  std::int64_t begin = 0;
  access_sets sets;
};

/// The first iteration of rank r's share, which ends at share_begin(r + 1).
[[nodiscard]] std::int64_t share_begin(const planning& in, rank_id r);

/// Fetches the elements that the inspector reads in the iterations [begin, end).
void hold_inputs(const planning& in, std::int64_t begin, std::int64_t end);

struct inspection {
  std::vector<inspected_part> parts;  // of this rank's share, one per executor
  /// Per capture: the number of neighbouring elements that are always touched together. Sets contain the
  /// first of them. Groups are not cut within a unit. The same on all ranks.
  std::vector<std::uint64_t> units;
};

/// Inspects this rank's share. New keys get slots, the same on all ranks. A collective.
[[nodiscard]] inspection inspect(const planning& in);

/// A hash of touches. It is a sum, so it does not depend on the division into parts.
[[nodiscard]] std::uint64_t hash_of(const std::vector<inspected_part>& parts);

}  // namespace stradsap::rt

// Finds the hottest elements of containers that are consistency::stale with hottest(n).
// Thread rule: one thread a rank; a collective.
#pragma once

#include <vector>

#include "runtime/loop/access/hot_units.hpp"
#include "runtime/loop/plan/inspection.hpp"

namespace stradsap::rt {

/// Finds the hot units of all containers, by the touches of all ranks, and takes them out of the sets. Per
/// capture; empty if no container has any.
[[nodiscard]] std::vector<hot_units> take_hot_units(const planning& in, inspection& found);

}  // namespace stradsap::rt

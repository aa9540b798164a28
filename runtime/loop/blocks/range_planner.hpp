// Plans of loops without conflicts: ranges, cut at the group ends of written containers.
#pragma once

#include "runtime/loop/plan/planning.hpp"

namespace stradsap::rt {

/// The same on all ranks, without communication. Cuts containers that have no cuts yet.
[[nodiscard]] plan make_range_plan(const planning& in);

}  // namespace stradsap::rt

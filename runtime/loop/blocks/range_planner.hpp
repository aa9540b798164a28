// Plans of loops without conflicts: ranges, cut at the group ends of written containers.
#pragma once

#include "runtime/loop/plan/planning.hpp"

namespace stradsap::rt {

/// Cuts the containers that the loop writes at its index and that have no cuts yet.
void cut_at_index(const loop_frame& f);
/// The same on all ranks, without communication. Cuts containers that have no cuts yet.
[[nodiscard]] plan make_range_plan(const planning& in);

}  // namespace stradsap::rt

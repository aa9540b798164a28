// Plans of loops under consistency::stale: an accumulator has a sixteenth of the iterations, and its
// place stays the same from call to call. Stateless.
#pragma once

#include "runtime/loop/plan/planning.hpp"

namespace stradsap::rt {

/// The same on all ranks, without communication. Cuts containers that have no cuts yet. If a group of a
/// container that the loop writes at its index has elements of several accumulators, one rank has these.
[[nodiscard]] plan make_clock_plan(const planning& in);

}  // namespace stradsap::rt

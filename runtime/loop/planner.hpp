// Chooses the plan of a loop: ranges, blocks or waves. All ranks run the same program: each inspects its
// share of the iterations, they exchange counts, and each computes the same plan from the same counts. This
// is the reconnaissance of STRADS-AP with a distributed plan. Thread rule: one thread a rank; a collective.
#pragma once

#include <functional>

#include "runtime/loop/plan/planning.hpp"

namespace stradsap::rt {

/// The plan of an asynchronous loop. Cuts containers that have no cuts yet. Throws error(errc::out_of_range)
/// if the loop is longer than a container that it accesses by its index, and error(errc::unsupported) if a
/// loop with computed subscripts has more than 2^32 iterations.
[[nodiscard]] plan make_plan(const planning& in);

/// Cuts the containers that an ordered loop writes, from their lengths and the loop's alone. Later loops find
/// the same groups whether or not a plan was made.
void cut_for_order(const loop_frame& f);

/// Makes the plan of a loop, as make_plan() does.
using plan_maker = std::function<plan(const planning&)>;

}  // namespace stradsap::rt

// Moves aligned elements between the canonical layout and the layout of a plan that lists iterations. In plan
// layout, they lie in plan order beside the plan.
// Thread rule: one thread a rank; collectives.
#pragma once

#include "runtime/loop/plan/plan.hpp"
#include "runtime/loop/plan/planning.hpp"

namespace stradsap::rt {

/// Whether the elements of capture c may be in plan layout only: each belongs to one iteration, and the loop
/// accesses them in no other way.
[[nodiscard]] bool may_use_plan_layout(const loop_frame& f, std::size_t c);

/// Empties the canonical layout of the elements that the new plan has. With several ranks this is the last
/// step of planning, after which none can fail.
void adopt_plan_layouts(const planning& in);

/// Updates the plan's copies of aligned elements from their owners. Elements in plan layout stay as they are.
void refresh_aligned(const planning& in, const plan& p);

/// Ends a launch: written aligned elements return to their owners, or stay in the layout of this plan.
void return_aligned(const planning& in, const plan& p);

/// Sends the elements of the plan's capture c to their owners and restores the canonical layout.
void return_elements(replica& local, const plan& p, std::size_t c, exchange& ranks);

}  // namespace stradsap::rt

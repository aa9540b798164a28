// Elements that iterations reach by their own number lie in plan order beside a plan that lists iterations;
// here they leave their homes, come from their owners again and go back. Thread rule: one thread a rank;
// collectives.
#pragma once

#include "runtime/loop/plan.hpp"
#include "runtime/loop/planner.hpp"

namespace stradsap::rt {

/// The elements of capture c need no home while the plan has them: each is that of one iteration, and the
/// loop looks at them in no other way.
[[nodiscard]] bool may_go_away(const loop_frame& f, std::size_t c);

/// The plan that is being made has the elements of its loop; their homes are empty from now on. With several
/// ranks the last step of planning, after which none can fail.
void leave_home(const planning& in);

/// The plan's copies become what the owners have now, but for what only the plan has.
void refresh_aligned(const planning& in, const plan& p);

/// Elements that the loop wrote by its index go back to their owners, or stay away.
void return_aligned(const planning& in, const plan& p);

/// The elements of the plan's capture c go back to their owners, whose homes they find again.
void return_elements(container_store& store, const plan& p, std::size_t c, exchange& ranks);

}  // namespace stradsap::rt

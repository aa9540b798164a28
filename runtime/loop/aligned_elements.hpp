// Elements that iterations reach by their own number lie in plan order beside a plan that lists iterations;
// here they come from their owners and go back. Thread rule: one thread a rank; collectives.
#pragma once

#include "runtime/loop/plan.hpp"
#include "runtime/loop/planner.hpp"

namespace stradsap::rt {

/// The plan's copies become what the owners have now.
void refresh_aligned(const planning& in, const plan& p);

/// Elements that the loop wrote by its index go back to their owners.
void return_aligned(const planning& in, const plan& p);

}  // namespace stradsap::rt

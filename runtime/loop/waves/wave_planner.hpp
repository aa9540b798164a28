// Planning by waves: levels of iterations that share no element, in program order. For loops with too many
// touches in an iteration for blocks of groups, and for loops in program order. Thread rule: one thread a
// rank; a collective.
#pragma once

#include <memory>

#include "runtime/loop/plan/inspection.hpp"
#include "runtime/loop/plan/wave_plan.hpp"

namespace stradsap::rt {

/// `found`: the touches of this rank's share, with slots for new keys. Returns null if blocks are as good;
/// only an asynchronous loop's may be. The decision uses counts and element sizes only, so all ranks agree.
[[nodiscard]] std::shared_ptr<const wave_plan> make_wave_plan(const planning& in, const inspection& found);

/// Cuts a container that has no cuts yet, for a loop by waves.
void cut_for_waves(replica& local);

/// The plan of a loop that runs by `waves`. `found`: the inspection that they come from.
[[nodiscard]] plan plan_of_waves(const planning& in, inspection found,
                                 std::shared_ptr<const wave_plan> waves);

}  // namespace stradsap::rt

// Plans by blocks, for loops that write containers at computed places. Reconnaissance finds the groups that
// each iteration touches; the iterations of one signature form a block.
#pragma once

#include "runtime/loop/plan/inspection.hpp"

namespace stradsap::rt {

/// `found`: the touches of this rank's share; containers are cut. A collective.
[[nodiscard]] plan make_listed_plan(const planning& in, inspection found);

}  // namespace stradsap::rt

// Plans of loops that write containers at computed places. Reconnaissance finds the groups that each
// iteration touches; the iterations of one signature form a block.
#pragma once

#include "runtime/loop/planner.hpp"

namespace stradsap::rt {

/// A collective.
[[nodiscard]] plan make_listed_plan(const planning& in);

}  // namespace stradsap::rt

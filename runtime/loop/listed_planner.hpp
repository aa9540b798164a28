// Plans of loops that write containers at computed subscripts: reconnaissance finds which groups each
// iteration touches; iterations of one signature form a block.
#pragma once

#include "runtime/loop/planner.hpp"

namespace stradsap::rt {

/// A collective.
[[nodiscard]] plan make_listed_plan(const planning& in);

}  // namespace stradsap::rt

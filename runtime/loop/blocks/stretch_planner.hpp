// Plans of loops in which each iteration touches, in every container that it writes, only elements behind
// those of the iterations before. No two iterations conflict, so blocks are ranges of iterations.
#pragma once

#include <optional>

#include "runtime/loop/plan/planning.hpp"

namespace stradsap::rt {

/// No value if the loop is not of this kind. Cuts containers that have no cuts yet, between blocks. The cost
/// grows with the iterations and the ranges that they request, not with their elements. A collective.
[[nodiscard]] std::optional<plan> make_stretch_plan(const planning& in);

}  // namespace stradsap::rt

// Containers that a body only adds into: their iterations need no order among each other.
#pragma once

#include <vector>

#include "analyze/accesses.hpp"
#include "analyze/region.hpp"

namespace stradsap::pp {

/// Whether every access to the container is the target of one and the same folding operator, whose value
/// nobody uses, and no element is read in any other way.
bool is_only_accumulated(const region& code, const std::vector<access>& accesses,
                         const clang::ValueDecl* container);

}  // namespace stradsap::pp

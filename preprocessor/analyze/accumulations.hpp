// Containers that a body only adds into: their iterations need no order among each other.
#pragma once

#include <vector>

#include "analyze/accesses.hpp"
#include "analyze/region.hpp"

namespace stradsap::pp {

/// The folding operator of api_names.hpp by which all accesses to the container change its elements, and
/// whose value nobody uses; null unless it is one and the same and no element is read in any other way.
const char* operator_of_accumulation(const region& code, const std::vector<access>& accesses,
                                     const clang::ValueDecl* container);

}  // namespace stradsap::pp

// Finds containers that a body only adds into, so that iterations need no order among each other. Also finds
// containers with elements that it only replaces, so that only the last value counts. Stateless.
#pragma once

#include <vector>

#include "analyze/access/accesses.hpp"
#include "analyze/code/region.hpp"

namespace stradsap::pp {

/// The operator of api_names.hpp if all accesses to the container fold by this one operator, the body uses no
/// result of a fold, and reads no element in another way; else null.
const char* operator_of_accumulation(const region& code, const std::vector<access>& accesses,
                                     const clang::ValueDecl* container);

/// Whether the body only assigns whole elements of the container, and only values that do not depend on its
/// elements.
bool only_replaces(const region& code, const dependences& depends, const std::vector<access>& accesses,
                   const clang::ValueDecl* container);

}  // namespace stradsap::pp

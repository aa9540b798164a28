// Containers that a body only adds into: their iterations need no order among each other. Containers whose
// elements it only replaces: the last of them counts.
#pragma once

#include <vector>

#include "analyze/accesses.hpp"
#include "analyze/region.hpp"

namespace stradsap::pp {

/// The folding operator of api_names.hpp by which all accesses to the container change its elements, and
/// whose value nobody uses; null unless it is one and the same and no element is read in any other way.
const char* operator_of_accumulation(const region& code, const std::vector<access>& accesses,
                                     const clang::ValueDecl* container);

/// Whether all that the body does to elements of the container is to assign them, whole, what does not come
/// from elements of it.
bool only_replaces(const region& code, const dependences& depends, const std::vector<access>& accesses,
                   const clang::ValueDecl* container);

}  // namespace stradsap::pp

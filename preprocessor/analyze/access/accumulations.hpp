// Finds containers that a body only adds into, so that iterations need no order among each other. Stateless.
#pragma once

#include <vector>

#include "analyze/access/accesses.hpp"
#include "analyze/code/region.hpp"

namespace stradsap::pp {

/// The operator of api_names.hpp if all accesses to the container fold by this one operator, the body uses no
/// result of a fold, and reads no element in another way; else null.
const char* operator_of_accumulation(const region& code, const std::vector<access>& accesses,
                                     const clang::ValueDecl* container);

}  // namespace stradsap::pp

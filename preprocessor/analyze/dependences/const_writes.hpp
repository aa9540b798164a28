// Finds changes of const objects: through casts, and of mutable members. For these objects, const proves
// nothing. Stateless.
#pragma once

#include <map>

#include "analyze/code/region.hpp"
#include "analyze/dependences/dependences.hpp"

namespace stradsap::pp {

/// The variables with storage that may be changed in this way, each with one such expression; null for an
/// object that no text shows.
using const_writes = std::map<const clang::ValueDecl*, const clang::Expr*>;
const_writes writes_through_const(const region& code, const dependences& depends);

}  // namespace stradsap::pp

// Ways around const: casts that take it away, members that are mutable. `const` then says nothing of what
// happens to an object.
#pragma once

#include <map>

#include "analyze/dependences.hpp"
#include "analyze/region.hpp"

namespace stradsap::pp {

/// The variables whose storage may be changed so, each with one of the places.
std::map<const clang::ValueDecl*, const clang::Expr*> writes_through_const(const region& code,
                                                                           const dependences& depends);

}  // namespace stradsap::pp

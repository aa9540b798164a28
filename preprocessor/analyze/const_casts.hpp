// Casts that take const away. After one of them `const` says nothing of what happens to an object.
#pragma once

#include <map>

#include "analyze/dependences.hpp"
#include "analyze/region.hpp"

namespace stradsap::pp {

/// The variables whose storage such a cast may reach, each with one of the casts.
std::map<const clang::ValueDecl*, const clang::Expr*> cast_from_const(const region& code,
                                                                      const dependences& depends);

}  // namespace stradsap::pp

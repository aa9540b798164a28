// Finds the expressions that designate an element which an access reaches: through references, pointers and
// spans, and in functions in sight that get it. Borrows from the region; stateless.
#pragma once

#include <vector>

#include "analyze/code/region.hpp"

namespace stradsap::pp {

/// The operator `&` before an access; null if there is none.
const clang::UnaryOperator* address_of(const region& code, const clang::Expr& call);

/// The given expression itself, or the uses of a reference bound to it or of a pointer, a span or an
/// Eigen::Map that starts there. Null among them stands for other uses.
std::vector<const clang::Expr*> names_at(const region& code, const clang::Expr& call);

/// The same for an access, also where functions in sight return it, or get it by a reference, a pointer or as
/// their object. Not those that drop the value: `return *this` of `x[i] += e`.
std::vector<const clang::Expr*> names_of(const region& code, const clang::Expr& call);

}  // namespace stradsap::pp

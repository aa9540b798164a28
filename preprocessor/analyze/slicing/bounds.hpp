// Subscripts that stay below the end for all data: `for (k = 0; k < v.size(); ++k) ... v[k]`. Stateless.
#pragma once

#include "analyze/code/region.hpp"

namespace stradsap::pp {

/// Whether `subscript` stays within bounds: a[2] of an array that is longer, or v[k] of a vector or array.
/// For v[k], a loop must count k up from a number that is not negative and below the size of v, and nothing
/// may change k or v meanwhile.
bool is_within_bounds(const region& code, const clang::Expr& subscript);

}  // namespace stradsap::pp

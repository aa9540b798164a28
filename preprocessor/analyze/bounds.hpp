// Subscripts that cannot go beyond the end, whatever the data: `for (k = 0; k < v.size(); ++k) ... v[k]`.
#pragma once

#include "analyze/region.hpp"

namespace stradsap::pp {

/// Whether `subscript` is a[2] of an array that has so many, or v[k] of a vector or an array, inside a loop
/// that counts k up from a number that is not negative, below the size of v; and nothing changes k or v
/// meanwhile.
bool is_within_bounds(const region& code, const clang::Expr& subscript);

}  // namespace stradsap::pp

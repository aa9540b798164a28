// Recognises the loop's index under other names: through conversions that keep its value if it fits, and
// through local variables and parameters that never have another value. Stateless.
#pragma once

#include "analyze/code/region.hpp"

namespace stradsap::pp {

/// The bits of an index of 64-bit type, which is not negative.
inline constexpr unsigned index_bits = 63;

/// The bits that the index may have so that the value of an expression is always the index of the current
/// iteration: 31, 32 or `index_bits`. 0 if the value is no index.
unsigned bits_of_index(const region& code, const clang::Expr& expression);

/// Whether the value is the index, if that has few enough bits.
bool is_loop_index(const region& code, const clang::Expr& expression);

}  // namespace stradsap::pp

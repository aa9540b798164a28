// Recognises the loop's index under other names: through conversions that keep its value, and through local
// variables and parameters that never have another value. Stateless.
#pragma once

#include "analyze/code/region.hpp"

namespace stradsap::pp {

/// Whether the value of an expression is always the index of the current iteration.
bool is_loop_index(const region& code, const clang::Expr& expression);

}  // namespace stradsap::pp

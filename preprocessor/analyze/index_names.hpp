// The loop's index under whatever names it goes: through conversions that keep its value, local variables and
// parameters of helpers that nothing else ever is.
#pragma once

#include "analyze/region.hpp"

namespace stradsap::pp {

/// Whether the value of an expression is surely the index of the iteration that computes it.
bool is_loop_index(const region& code, const clang::Expr& expression);

}  // namespace stradsap::pp

// What must not happen in a loop body wherever it happens: shared state that the loop does not know of, calls
// that act on one process of many, control flow that cannot be followed. And what is allowed but worth a
// warning.
#pragma once

#include "analyze/diagnostics.hpp"
#include "analyze/region.hpp"

namespace stradsap::pp {

void refuse_in_region(const region& code, diagnostics& out);

/// Whether a call of a function in a library is refused, or warned of, because of its name.
bool is_refused_by_name(const clang::FunctionDecl& function);

/// Whether a function is one of the API's loop operators.
bool is_loop_operator(const clang::FunctionDecl* function);

}  // namespace stradsap::pp

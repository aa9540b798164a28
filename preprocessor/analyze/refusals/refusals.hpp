// Refuses code that no loop body may contain: hidden shared state, calls that act on one process of many,
// control flow that the analysis cannot follow. Also warns of code that is valid but probably wrong.
// Stateless.
#pragma once

#include "analyze/code/region.hpp"
#include "analyze/source/diagnostics.hpp"

namespace stradsap::pp {

void refuse_in_region(const region& code, diagnostics& out);

/// Whether a library function is refused, or causes a warning, by its name.
bool is_refused_by_name(const clang::FunctionDecl& function);

/// Whether a function is one of the API's loop operators.
bool is_loop_operator(const clang::FunctionDecl* function);

}  // namespace stradsap::pp

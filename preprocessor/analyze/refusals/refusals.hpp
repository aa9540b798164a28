// Refuses code that no loop body may contain, nor a function among its options: hidden shared state, calls
// that act on one process of many, control flow that the analysis cannot follow. Also warns of code that is
// valid but probably wrong. Stateless.
#pragma once

#include "analyze/code/region.hpp"
#include "analyze/source/diagnostics.hpp"

namespace stradsap::pp {

/// The code of a program that the runtime calls: the body of a loop, a function among a loop's options that
/// the driver calls, or one that all processes call.
enum class called_as { body, by_driver, by_all };

void refuse_in_region(const region& code, diagnostics& out, called_as use = called_as::body);

/// Whether a library function is refused, or causes a warning, by its name.
bool is_refused_by_name(const clang::FunctionDecl& function);

/// Whether a function is one of the API's loop operators.
bool is_loop_operator(const clang::FunctionDecl* function);

}  // namespace stradsap::pp

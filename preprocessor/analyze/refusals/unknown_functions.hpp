// Functions that a body knows only by name, and the queries of functions to their process. Borrows from the
// region; stateless.
#pragma once

#include "analyze/code/region.hpp"
#include "analyze/source/diagnostics.hpp"

namespace stradsap::pp {

/// Warns of each function without visible text, unless it is known to depend on its arguments only: it may
/// keep state that each process has separately.
void warn_of_unknown_functions(const region& code, diagnostics& out);

/// Whether the code may query the environment, the locale or the working directory.
bool asks_process(const region& code);

}  // namespace stradsap::pp

// Functions of which a body knows the name alone, and what functions ask the process that they run in.
// Borrows from the region.
#pragma once

#include "analyze/diagnostics.hpp"
#include "analyze/region.hpp"

namespace stradsap::pp {

/// Warns of each function whose text is not in sight and that is not known to depend on its arguments alone:
/// it may keep something that every process has of its own.
void warn_of_unknown_functions(const region& code, diagnostics& out);

/// Whether the code may look at the environment, the locale or the working directory.
bool asks_process(const region& code);

}  // namespace stradsap::pp

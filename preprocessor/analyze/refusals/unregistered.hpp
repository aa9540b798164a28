// Variables that a program's loop over epochs changes and that resumable() does not name: a resumed run
// begins with their first values. Borrows from the ASTContext; stateless.
#pragma once

#include <vector>

#include "analyze/code/region.hpp"
#include "analyze/findings/translation_unit.hpp"

namespace stradsap::pp {

/// Whether a function is resumable().
bool is_registration(const clang::FunctionDecl* callee);

/// The loops with a save point in the walked function, if it calls resumable(), too. Follows names in the
/// text of the loop only: globals that functions change are not noticed.
std::vector<resumed_loop> resumed_loops(const region& code);

}  // namespace stradsap::pp

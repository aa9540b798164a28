// Pointers, references, iterators and views into a container that a function makes before a loop on the
// container and uses after it. A loop may move elements, so they are stale then. Borrows from the ASTContext;
// stateless.
#pragma once

#include <clang/AST/Decl.h>

#include "analyze/source/diagnostics.hpp"

namespace stradsap::pp {

/// Warns of the first such use of each local variable of the function. Follows names only: a container under
/// another name and a loop in another function are not noticed.
void warn_of_kept_places(const clang::FunctionDecl& function, diagnostics& out);

}  // namespace stradsap::pp

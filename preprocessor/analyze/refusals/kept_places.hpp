// Pointers, references, iterators and views into a container that the driver makes before a loop on the
// container and uses after it. A loop may move elements, so they are stale then. Borrows from the ASTContext;
// stateless.
#pragma once

#include <clang/AST/Decl.h>

#include <vector>

#include "analyze/source/diagnostics.hpp"

namespace stradsap::pp {

/// Warns of the first such use of each place. Follows the text of the functions and of those that
/// they call: not pointers to functions, and not members that several functions set.
void warn_of_kept_places(const std::vector<const clang::FunctionDecl*>& functions, diagnostics& out);

}  // namespace stradsap::pp

// Whether the part of a statement that a slice prints can go wrong where the body would not have run it:
// divisions, dereferences, loops without bound, calls of the unknown.
#pragma once

#include "analyze/slice_parts.hpp"

namespace stradsap::pp {

bool is_total(const region& code, const slice_parts& parts, const clang::Stmt& node);

/// Whether what follows the jumps that were dropped is: it runs where it would not have been run.
bool follows_are_total(const region& code, const slice_parts& parts);

}  // namespace stradsap::pp

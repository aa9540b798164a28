// Whether the printed part of a statement can fail where the body would not run it: by a division, a
// dereference, a loop without bound, a call of an unknown function. Stateless.
#pragma once

#include "analyze/slicing/slice_parts.hpp"

namespace stradsap::pp {

bool is_safe_to_speculate(const region& code, const slice_parts& parts, const clang::Stmt& node);

/// Whether the statements behind dropped jumps cannot fail: the slice runs them where the body would not.
bool follows_are_safe_to_speculate(const region& code, const slice_parts& parts);

}  // namespace stradsap::pp

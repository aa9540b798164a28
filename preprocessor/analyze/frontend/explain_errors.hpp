// Mistakes in a translation unit that does not compile. Borrows from the ASTContext; stateless.
#pragma once

#include <clang/AST/ASTContext.h>

#include <vector>

#include "analyze/findings/translation_unit.hpp"
#include "analyze/refusals/misuse.hpp"

namespace stradsap::pp {

/// Reports mistakes that explain the failure better than the compiler does.
/// A container captured by value, for example, is const in the body, and the compiler's error is far from the
/// capture.
void explain_errors(const clang::ASTContext& ast, const std::vector<stray_jump>& jumps,
                    translation_unit& unit);

}  // namespace stradsap::pp

// Finds what has to be edited in a translation unit: loops, main, containers and the types that travel in
// them. Looks at the user's code only. Borrows from the ASTContext.
#pragma once

#include <clang/AST/ASTContext.h>

#include "analyze/expansions.hpp"
#include "analyze/misuse.hpp"
#include "analyze/translation_unit.hpp"

namespace stradsap::pp {

/// Fills in loops, classes, main_bodies, expansions and diagnostics.
void find_edits(const clang::ASTContext& ast, const macro_expansions& expansions, translation_unit& unit);

/// For a unit that does not compile: diagnostics for mistakes that explain it better than the compiler does.
/// A container captured by value is const in the body, and what then fails is told far from the capture.
void explain_errors(const clang::ASTContext& ast, const std::vector<stray_jump>& jumps,
                    translation_unit& unit);

}  // namespace stradsap::pp

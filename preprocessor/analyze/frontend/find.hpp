// Finds the parts of a translation unit that need edits: loops, main, containers and the types that travel in
// them. Visits user code only. Borrows from the ASTContext; one thread at a time.
#pragma once

#include <clang/AST/ASTContext.h>

#include "analyze/findings/translation_unit.hpp"
#include "analyze/refusals/misuse.hpp"
#include "analyze/source/expansions.hpp"

namespace stradsap::pp {

/// Fills in loops, classes, main_bodies, expansions and diagnostics.
void find_edits(const clang::ASTContext& ast, const macro_expansions& expansions, translation_unit& unit);

/// For a unit that does not compile: reports mistakes that explain the failure better than the compiler does.
/// A container captured by value, for example, is const in the body, and the compiler's error is far from the
/// capture.
void explain_errors(const clang::ASTContext& ast, const std::vector<stray_jump>& jumps,
                    translation_unit& unit);

}  // namespace stradsap::pp

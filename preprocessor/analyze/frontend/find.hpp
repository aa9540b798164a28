// Finds the parts of a translation unit that need edits: loops, main, containers and the types that travel in
// them. Visits user code only. Borrows from the ASTContext; one thread at a time.
#pragma once

#include <clang/AST/ASTContext.h>

#include "analyze/findings/translation_unit.hpp"
#include "analyze/source/expansions.hpp"

namespace stradsap::pp {

/// Fills in loops, classes, main_bodies, expansions and diagnostics.
void find_edits(const clang::ASTContext& ast, const macro_expansions& expansions, translation_unit& unit);

}  // namespace stradsap::pp

// Statements of `main` that access containers. Under -ffast-math, g++ makes two copies of them that round
// differently: for containers that are open, and for others. So the program opens them before. Borrows from
// the ASTContext; stateless.
#pragma once

#include <clang/AST/ASTContext.h>

#include <map>

#include "analyze/findings/translation_unit.hpp"
#include "analyze/frontend/collect.hpp"

namespace stradsap::pp {

/// The openings before statements outside loop bodies, if the options permit sums in another order.
std::map<text_position, container_opening> openings_of(const clang::ASTContext& ast, const collected& found);

}  // namespace stradsap::pp

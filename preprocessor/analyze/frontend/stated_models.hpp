// The consistency::stale that a program's text gives to a loop or a container, for the remarks of --explain.
// Functions over one ASTContext.
#pragma once

#include <clang/AST/Expr.h>

#include <optional>

#include "analyze/findings/translation_unit.hpp"

namespace stradsap::pp {

/// Of a model: `consistency::stale(...)`, or a variable that is initialised by it. Nothing if the program
/// computes the model.
std::optional<stated_staleness> staleness_in(const clang::ASTContext& ast, const clang::Expr& model);

/// Of the model among the arguments of the container's initialiser.
std::optional<stated_staleness> staleness_of(const clang::ASTContext& ast, const clang::ValueDecl& container);

}  // namespace stradsap::pp

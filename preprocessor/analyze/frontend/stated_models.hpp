// The consistency model that a program's text gives to a loop or a container, for remarks of --explain and
// warnings. Functions over one ASTContext.
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

/// Whether the model is consistency::sync or stale, and names no merge: the text of the body decides how
/// copies of elements are folded. False if the program computes the model.
bool folds_by_text(const clang::ASTContext& ast, const clang::Expr& model);
/// The same of the model among the arguments of the container's initialiser.
bool folds_by_text(const clang::ASTContext& ast, const clang::ValueDecl& container);

}  // namespace stradsap::pp

// What evaluating an expression changes that is there before and after it: whether to evaluate it at all, or
// once more, makes a difference then. Borrows from the region.
#pragma once

#include "analyze/region.hpp"

namespace stradsap::pp {

/// Whether a node runs as part of an expression, in functions that it calls too.
bool runs_within(const region& code, const clang::Stmt& node, const clang::Expr& e);

/// Whether an element is changed by an expression: `element`, an access within it, designates the element.
bool changes_object(const region& code, const clang::Expr& element, const clang::Expr& e);

/// A variable from outside of an expression, no container, that evaluating it changes; else null.
const clang::ValueDecl* changed_outside(const region& code, const clang::Expr& e);

}  // namespace stradsap::pp

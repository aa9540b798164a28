// The lasting effects of evaluating an expression, or of all code in a region. With such an effect, the
// expression must run exactly once.
// Borrows from the region; one thread at a time.
#pragma once

#include <vector>

#include "analyze/code/region.hpp"

namespace stradsap::pp {

/// Whether a node runs as part of an expression, also in functions that the expression calls.
bool runs_within(const region& code, const clang::Stmt& node, const clang::Expr& e);

/// Whether an expression changes an element; `element`, an access within it, designates the element.
bool changes_object(const region& code, const clang::Expr& element, const clang::Expr& e);

/// A variable that the expression changes and that exists before it, other than a container; else null.
const clang::ValueDecl* changed_outside(const region& code, const clang::Expr& e);

/// Whether evaluating `e` may change which object `place` designates: `k++` beside X[k], a call that moves a
/// member beside X[c.at].
bool may_move(const region& code, const clang::Expr& place, const clang::Expr& e);

/// A change of a variable or object that exists before the region's body is called.
struct outer_change {
  const clang::Expr* where = nullptr;
  const clang::ValueDecl* of = nullptr;  // the variable or member; null for `*this`
};

/// The changes of captured variables, of members of the object around the body, of globals, and of the
/// objects that these lead to; containers included. Not those behind const.
std::vector<outer_change> outer_changes(const region& code);

/// The expressions that load a pointer, a reference or a handle, or get one from a function out of sight, and
/// lead to a change of its target: `m->x[j] = 1` in a const member function, `*shared += 1`. The target may
/// be the code's own.
std::vector<const clang::Expr*> changed_loads(const region& code);

}  // namespace stradsap::pp

// Whether code only computes: it reads, and changes nothing but numbers that it has declared itself. Anything
// that is not known to do so does not. Syntax and types; stateless.
#pragma once

#include "analyze/code/region.hpp"

namespace stradsap::pp {

/// Whether a statement or an expression, with all that it calls, only computes, and does not leave the text
/// that it stands in: no jumps, no exceptions but of subscripts of dvectors. Loops in it end.
bool only_computes(const region& code, const clang::Stmt& node);

/// A number, or a pointer.
bool is_simple(clang::QualType type);

/// A function of the user's, free and defined in sight, that a call names; it is walked by the region. Else
/// null.
const clang::FunctionDecl* free_helper(const region& code, const clang::CallExpr& call);

/// The variable of this function's own that an assignment, ++ or -- changes; null if the node does not, or
/// changes something else.
const clang::VarDecl* changed_variable(const region& code, const clang::Stmt& node);

}  // namespace stradsap::pp

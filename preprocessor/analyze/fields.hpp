// Fields of classes: which one an assignment names, and in which types objects of a class may be. Stateless.
#pragma once

#include <clang/AST/ExprCXX.h>

namespace stradsap::pp {

/// The field that `x.a.field = ...` or `x.field[k] = ...` changes, and nothing but it; null if it is not so
/// simple.
const clang::FieldDecl* named_field(const clang::Expr& target);

/// Whether objects of a type, or what they point to, may hold objects of a class. A distributed container
/// does not: its elements are reached by accesses.
bool may_hold(clang::QualType type, const clang::RecordDecl& wanted);

}  // namespace stradsap::pp

// Fields of classes: which one an assignment names, and in which types objects of a class may be. Stateless.
#pragma once

#include <clang/AST/ExprCXX.h>

#include <cstdint>
#include <set>
#include <vector>

namespace stradsap::pp {

/// The field that `x.a.field = ...` or `x.field[k] = ...` changes, and nothing but it, or an assignment to a
/// reference to it; null if it is not so simple.
const clang::FieldDecl* named_field(const clang::Expr& target);

/// The field that a name of a structured binding stands for; null for all other names.
const clang::FieldDecl* bound_field(const clang::ValueDecl& name);

/// Whether objects of a type, or what they point to, may hold objects of a class. A distributed container
/// does not: its elements are reached by accesses.
bool may_hold(clang::QualType type, const clang::RecordDecl& wanted);

/// The fields of all classes that objects of a type may hold, at any depth.
std::vector<const clang::FieldDecl*> fields_within(clang::QualType type);

/// Bits that stand for those fields among `found` that objects of `type` may hold; all bits if there is none,
/// so that nobody knows which.
std::uint64_t field_bits(const std::set<const clang::ValueDecl*>& found, clang::QualType type);

}  // namespace stradsap::pp

// Fields of classes: the field that an assignment names, and the types that may hold objects of a class.
// Stateless.
#pragma once

#include <clang/AST/ExprCXX.h>

#include <cstdint>
#include <set>
#include <vector>

namespace stradsap::pp {

/// The field that `x.a.field = ...` or `x.field[k] = ...` changes, if it changes nothing else, or that a
/// reference changed by an assignment is bound to; null in less simple cases.
const clang::FieldDecl* named_field(const clang::Expr& target);

/// The field behind a name of a structured binding; null for all other names.
const clang::FieldDecl* bound_field(const clang::ValueDecl& name);

/// Whether objects of a type, or their pointers' targets, may hold objects of a class. A distributed
/// container does not: accesses reach its elements.
bool may_hold(clang::QualType type, const clang::RecordDecl& wanted);

/// The fields of all classes that objects of a type may hold, at any depth.
std::vector<const clang::FieldDecl*> fields_within(clang::QualType type);

/// The bits of those fields in `found` that objects of `type` may hold. If there is none, all bits, because
/// any field may be meant.
std::uint64_t field_bits(const std::set<const clang::ValueDecl*>& found, clang::QualType type);

}  // namespace stradsap::pp

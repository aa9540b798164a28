// Objects that hold several places in containers, or one of them as an entry: `std::vector<float*> rows`,
// `float* ends[2]`, `std::pair<float*, int>`, `std::optional<float*>`. Borrows from the ASTContext;
// stateless.
#pragma once

#include <clang/AST/ExprCXX.h>

#include <map>

#include "analyze/refusals/object_paths.hpp"

namespace stradsap::pp {

/// Whether objects of the type, or those that it refers to, have places as entries; also true for `float**`.
bool collects_places(clang::QualType type);

/// The name of a variable or member that collects places; null for other expressions.
const clang::Expr* named_collection(const clang::Expr& e);

/// The collection of which an expression names an entry: `rows` of `rows[i]`, `both` of `both.first`; null
/// for others.
const clang::Expr* collection_of_entry(const clang::Expr& e);

/// The use that a member function of the standard library makes of its collection.
enum class collection_use {
  shape,   // looks at no entry, as size()
  reads,   // gives an entry
  adds,    // takes entries
  assigns  // takes all entries
};
/// `assigns` for functions that are not known.
collection_use use_of_collection(const clang::FunctionDecl& method);

/// The containers of the places in an expression that makes a collection or an entry of one, and the parts of
/// the expression that name them.
std::map<object_path, const clang::Expr*> places_in(path_reader& paths, const clang::Expr& made);

}  // namespace stradsap::pp

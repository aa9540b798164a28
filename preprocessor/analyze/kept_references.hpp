// References that objects keep: std::tie(X[i]), std::ref(X[i]), a struct with a member `T& r`. Where such a
// reference comes out again is known by its type alone. Borrows from the region; stateless.
#pragma once

#include <vector>

#include "analyze/region.hpp"

namespace stradsap::pp {

/// Whether the object that an expression makes keeps a reference that it is given.
bool keeps_reference(const clang::Expr& made, const clang::Expr& given);

/// Where references of objects to a type may come out: v.r, std::get<0>(t), r.get(), parts of a tuple,
/// parameters of lambdas that the standard library calls.
std::vector<const clang::Expr*> kept_references_to(const region& code, clang::QualType type);

/// Local variables that may hold references.
std::vector<const clang::VarDecl*> holders_of_references(const region& code);

}  // namespace stradsap::pp

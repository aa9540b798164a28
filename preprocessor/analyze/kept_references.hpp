// References that objects keep: std::tie(X[i]), std::ref(X[i]), a struct with a member `T& r`. Where such a
// reference comes out again is known by its type alone. So is what functions get that are handed on. Borrows
// from the region; stateless.
#pragma once

#include <vector>

#include "analyze/region.hpp"

namespace stradsap::pp {

/// Whether the object that an expression makes keeps a reference that it is given.
bool keeps_reference(const clang::Expr& made, const clang::Expr& given);

/// Whether a function of the user's is among the arguments of a call, or its object may hold one.
bool takes_callable(const clang::Expr& call);

/// The parameters by which functions that a call hands on may get references to elements it is given too.
std::vector<const clang::ParmVarDecl*> references_given_by(const region& code, const clang::Expr& call);

/// Names a parameter of a function that is handed on: it has whatever a caller out of sight gives.
bool is_given_parameter(const region& code, const clang::Expr& e);

/// Where references of objects to a type may come out: v.r, std::get<0>(t), r.get(), parts of a tuple,
/// parameters of functions that are handed on.
std::vector<const clang::Expr*> kept_references_to(const region& code, clang::QualType type);

/// Local variables that may hold references.
std::vector<const clang::VarDecl*> holders_of_references(const region& code);

}  // namespace stradsap::pp

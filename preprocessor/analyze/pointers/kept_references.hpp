// References that objects keep: std::tie(X[i]), std::ref(X[i]), a struct with a member `T& r`. The analysis
// knows only by type where such a reference is used again. The same holds for the arguments of functions that
// are passed on. Borrows from the region; stateless.
#pragma once

#include <vector>

#include "analyze/code/region.hpp"

namespace stradsap::pp {

/// Whether the object that an expression makes keeps the reference `given`.
bool keeps_reference(const clang::Expr& made, const clang::Expr& given);

/// Whether an argument or the object of a call is a user function or may hold one.
bool takes_callable(const clang::Expr& call);

/// The reference parameters of functions that a call passes on: they may get the elements that the call gets.
std::vector<const clang::ParmVarDecl*> references_given_by(const region& code, const clang::Expr& call);

/// Whether the expression names a parameter of a function that is passed on, with unknown arguments.
bool is_given_parameter(const region& code, const clang::Expr& e);

/// The expressions that may denote a kept reference to a type: v.r, std::get<0>(t), r.get(), parts of a
/// tuple, parameters of functions that are passed on.
std::vector<const clang::Expr*> kept_references_to(const region& code, clang::QualType type);

/// The local variables that may hold references.
std::vector<const clang::VarDecl*> holders_of_references(const region& code);

}  // namespace stradsap::pp

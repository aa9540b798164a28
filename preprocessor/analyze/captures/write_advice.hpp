// Advice on changes of captured variables, in the words of the body: the const form of a member function, the
// way to the index of the largest value. Decides no refusal. Borrows from the region; stateless.
#pragma once

#include <string>
#include <vector>

#include "analyze/code/region.hpp"

namespace stradsap::pp {

/// The change to report of all `changes` of one variable: the first, unless that is the call of a member
/// function which may only read.
const clang::Expr& clearest_change(const region& code, const std::vector<const clang::Expr*>& changes);

/// Advice against the change of a captured object.
std::string advice_on_object(const region& code, const clang::Expr& change);
/// The form in which iterations may share the object: a container, or containers in place of its members.
std::string advice_on_sharing(const region& code, const clang::Expr& change);
/// Advice against the change of a captured number.
std::string advice_on_number(const region& code, const clang::Expr& change);

/// Whether the refusal of another variable covers the changes of this one: `arg` of
/// `if (score > best) { best = score; arg = j; }`.
bool follows_another_change(const region& code, const std::vector<const clang::Expr*>& changes);

}  // namespace stradsap::pp

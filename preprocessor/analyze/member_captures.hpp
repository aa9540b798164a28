// Init-captures that stand for a member of an object outside the loop: [&W = model.weights, rate =
// model.rate]. Other processes have no such object and need none: they get the member. Stateless.
#pragma once

#include <clang/AST/ExprCXX.h>

#include <map>
#include <string>

namespace stradsap::pp {

/// By the variable of the capture, the path that its initialiser spells: `model.weights`. An object that the
/// lambda captures in another way too is not among them.
std::map<const clang::VarDecl*, std::string> captured_members(const clang::LambdaExpr& lambda);

}  // namespace stradsap::pp

// The functions that code of the driver may run without naming them: by objects that are called, and by
// virtual functions. Borrows from the ASTContext; stateless.
#pragma once

#include <clang/AST/ExprCXX.h>

#include <vector>

#include "analyze/refusals/object_paths.hpp"

namespace stradsap::pp {

/// The functions that a closure, or an object with an operator(), runs if it is called.
std::vector<const clang::FunctionDecl*> run_by(clang::QualType type);

/// The functions that a call may run by a virtual function, a pointer or a std::function, as far as the text
/// shows them: where the object is made, and in assignments.
std::vector<const clang::FunctionDecl*> functions_behind(const clang::CallExpr& call,
                                                         const path_reader& paths);

}  // namespace stradsap::pp

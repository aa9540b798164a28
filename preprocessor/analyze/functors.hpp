// Loop bodies that are objects of a class: which classes can be rebuilt in another process, and their members
// as the outer variables of the body. Borrows from the ASTContext.
#pragma once

#include <clang/AST/DeclCXX.h>

#include <vector>

#include "analyze/captures.hpp"
#include "analyze/diagnostics.hpp"

namespace stradsap::pp {

/// The class of the user's whose object a loop body is; null if the type is none.
const clang::CXXRecordDecl* functor_class(clang::QualType type);

/// Its call operator, if every process can make such an object from its members; else null, and `out` has
/// why.
const clang::CXXMethodDecl* functor_body(const clang::CXXRecordDecl& functor, clang::SourceLocation use,
                                         diagnostics& out);

/// Its members, in the order of declaration.
std::vector<outer_variable> functor_members(const clang::CXXRecordDecl& functor);

}  // namespace stradsap::pp

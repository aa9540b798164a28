// Loop bodies that are objects of a class: decides whether another process can rebuild them, and lists their
// members as the outer variables of the body. Borrows from the ASTContext; one thread at a time.
#pragma once

#include <clang/AST/DeclCXX.h>

#include <vector>

#include "analyze/captures/captures.hpp"
#include "analyze/source/diagnostics.hpp"

namespace stradsap::pp {

/// The user's class if objects of the type can be loop bodies; else null.
const clang::CXXRecordDecl* functor_class(clang::QualType type);

/// The call operator of the class. Null if a process cannot make such an object from its members; `out` then
/// has the reason.
const clang::CXXMethodDecl* functor_body(const clang::CXXRecordDecl& functor, clang::SourceLocation use,
                                         diagnostics& out);

/// The members in the order of declaration.
std::vector<outer_variable> functor_members(const clang::CXXRecordDecl& functor);

}  // namespace stradsap::pp

// Where a check may stand before a loop: in front of its keyword, as the head of a switch with the loop as
// its one statement. Stateless.
//
//   switch (const auto stradsap_hoisted_0 = CHECK; 0) default: for (...) ...
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Stmt.h>

namespace stradsap::pp {

/// The keyword of a `for` or `while`. No place: before a `do`, in text from a macro, behind a pragma or an
/// attribute about the loop, and before a loop that control may enter elsewhere.
clang::SourceLocation place_before(const clang::ASTContext& ast, const clang::Stmt& loop);

}  // namespace stradsap::pp

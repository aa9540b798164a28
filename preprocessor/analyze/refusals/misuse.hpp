// Mistakes in how a loop is written that the native compiler would tell in many lines of templates: a body of
// the wrong form, arguments that no loop operator takes, `break`. Says so in one line. Borrows from the
// ASTContext.
#pragma once

#include <clang/AST/ExprCXX.h>

#include <vector>

#include "analyze/source/diagnostics.hpp"

namespace stradsap::pp {

/// Reports a call operator that does not take one integer by value; returns whether it did.
bool refuse_signature(const clang::CXXMethodDecl& body, clang::SourceLocation where, diagnostics& out);

/// Reports a call of parallel_for without a consistency model; returns whether it did.
bool refuse_missing_model(const clang::CallExpr& call, diagnostics& out);

/// Reports `async_for(0, n, body)`: the 0 would be a null label. Returns whether it did.
bool refuse_two_bounds(const clang::CallExpr& call, diagnostics& out);

/// Reports a call of a loop operator that fits none of its forms, and lists of access(...) that name
/// something else than containers.
void explain_call(const clang::ASTContext& ast, const clang::RecoveryExpr& call, diagnostics& out);

/// A `break` or `continue` outside of any loop, and its word.
struct stray_jump {
  clang::SourceLocation where;
  const char* word;
};

/// Reports those jumps that stand in `body`, the lambda of a loop.
void explain_jumps(const clang::SourceManager& sources, const std::vector<stray_jump>& jumps,
                   const clang::LambdaExpr& body, diagnostics& out);

}  // namespace stradsap::pp

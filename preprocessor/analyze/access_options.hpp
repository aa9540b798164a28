// access(reads(D), adds(Q)) at a loop operator: what the user says about containers. Borrows from the
// ASTContext.
#pragma once

#include <clang/AST/Expr.h>

#include <map>

namespace stradsap::pp {

struct stated_access {
  unsigned bits = 0;  // mode bits of api_names.hpp that are set
  unsigned mask = 0;  // and those that the statement decides
  clang::SourceLocation where;
};

/// By the variable or member that is named.
using access_statements = std::map<const clang::ValueDecl*, stated_access>;

/// What the call of a loop operator says; nothing if it has no such option.
access_statements access_statements_of(const clang::CallExpr& call);

}  // namespace stradsap::pp

// What stands at a loop operator beside the body: the consistency model, access(reads(D), adds(Q)). Borrows
// from the ASTContext.
#pragma once

#include <clang/AST/Expr.h>

#include <map>
#include <set>

namespace stradsap::pp {

struct stated_access {
  unsigned bits = 0;      // mode bits of api_names.hpp that are set
  unsigned mask = 0;      // and those that the statement decides
  const char* word = "";  // reads, writes, adds
  clang::SourceLocation where;
  clang::SourceRange alone;  // the word, where it is said of this container alone
};

/// By the variable or member that is named.
using access_statements = std::map<const clang::ValueDecl*, stated_access>;

/// What the call of a loop operator says beside its body.
struct loop_options {
  access_statements stated;
  /// Functions of which it says that they depend on their arguments alone.
  std::set<const clang::FunctionDecl*> pure;
  /// Which elements iterations touch has to be known beforehand; not so in program order, nor in batches that
  /// work on copies.
  bool planned = true;
  /// The body is not written at the call, so that time may pass between its making and the loop.
  bool is_kept = false;
};

loop_options loop_options_of(const clang::CallExpr& call);

}  // namespace stradsap::pp

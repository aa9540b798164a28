// The arguments of a loop operator: the body, the consistency model, access(reads(D), adds(Q)).
// Borrows from the ASTContext; one thread at a time.
#pragma once

#include <clang/AST/Expr.h>

#include <map>
#include <optional>
#include <set>

#include "analyze/findings/translation_unit.hpp"

namespace stradsap::pp {

struct annotated_access {
  unsigned bits = 0;      // mode bits of api_names.hpp that the statement sets
  unsigned mask = 0;      // mode bits that it decides
  const char* word = "";  // reads, writes, adds, adds_late
  clang::SourceLocation where;
  clang::SourceRange alone;  // the word, if it names this container only
  const clang::Expr* named = nullptr;
};

/// By the named variable or member.
using access_annotations = std::map<const clang::ValueDecl*, annotated_access>;

/// The options in a call of a loop operator.
struct loop_options {
  access_annotations annotations;
  /// Functions with results that depend on their arguments only, by the user's statement.
  std::set<const clang::FunctionDecl*> pure;
  /// Whether the access sets must be known before the loop. False for program order, for batches that work on
  /// copies, and for the dynamic scheduler.
  bool planned = true;
  /// The model, if the call states that it is consistency::stale.
  std::optional<stated_staleness> stale = {};
  /// Whether the call states that iterations work on copies of elements, and names no merge for these.
  bool folds_by_text = false;
  /// The body is made before the call, so that variables may change between both.
  bool is_kept = false;
};

/// The body in a call of a loop operator; null if the call has none.
const clang::Expr* body_argument(const clang::CallExpr& call);

loop_options loop_options_of(const clang::CallExpr& call);

/// Whether two loops have the same access(...).
bool state_the_same(const loop_options& one, const loop_options& other);

}  // namespace stradsap::pp

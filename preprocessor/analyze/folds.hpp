// The forms in which a number is folded into a variable: x += e, ++x, x = x + e, x = std::max(x, e), if (e >
// x) x = e, changed = true and their like. Says what a statement is; judges nothing. Borrows from the region.
#pragma once

#include <vector>

#include "analyze/region.hpp"

namespace stradsap::pp {

/// One place that changes a variable: `stats.loss += e`.
struct update {
  const clang::Expr* statement = nullptr;   // the whole assignment or step
  const clang::Expr* target = nullptr;      // what of the variable it changes
  const char* op = nullptr;                 // of api_names.hpp; null if it is no reduction
  std::vector<const clang::Expr*> guarded;  // evaluated or not as the variable stands: behind its && or ||
  std::vector<const clang::Expr*> reads;  // where the form itself names the target: the second x of x = x + e
  std::vector<const clang::Expr*> repeated;  // evaluated once more if it is chosen: both e of e > x ? e : x
  std::vector<const clang::Expr*> operands;  // what is folded in
  clang::QualType computed;                  // in which that is done, before it becomes the target's again
  bool keeps_computed = false;               // of a choice: what is kept has been of that type
};

/// Whether two expressions are one text, names resolved.
bool are_same(const clang::ASTContext& ast, const clang::Expr& a, const clang::Expr& b);

class fold_reader {
 public:
  explicit fold_reader(const region& code) : code_(code) {}

  /// The expression on top of `stats`, the name of a variable, in stats.loss, hist[k] and their like.
  const clang::Expr& designated(const clang::Expr& name) const;

  /// How the statement around `target` changes it; an update without an operator if it is no fold.
  update update_of(const clang::Expr& target) const;

  /// Whether nobody uses the value of an assignment or a step, nor binds a reference to it.
  bool is_dropped(const clang::Expr& statement) const;

 private:
  bool same(const clang::Expr& a, const clang::Expr& b) const { return are_same(code_.ast(), a, b); }
  update written_update_of(const clang::Expr& target) const;
  void complete(update& found, const clang::BinaryOperator& assignment) const;
  bool is_fold_of(update& found, const clang::Expr& operand, const char* op) const;
  void complete_logical(update& found, const clang::BinaryOperator& op) const;
  void complete_operation(update& found, const clang::BinaryOperator& op) const;
  void complete_call(update& found, const clang::CallExpr& call) const;
  void complete_choice(update& found, const clang::ConditionalOperator& choice) const;
  void complete_condition(update& found, const clang::Expr& value) const;
  void complete_comparison(update& found, const clang::Expr& condition, const clang::Expr& value) const;

  const region& code_;
};

/// Without parentheses and conversions that are not written.
inline const clang::Expr& bare(const clang::Expr& e) { return *e.IgnoreParenImpCasts(); }

}  // namespace stradsap::pp

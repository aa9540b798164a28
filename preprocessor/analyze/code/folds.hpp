// The forms of a fold into a variable: x += e, ++x, x = x + e, x = std::max(x, e), if (e > x) x = e, changed
// = true and the like. Classifies statements without conclusions. Borrows from the region; stateless.
#pragma once

#include <vector>

#include "analyze/code/region.hpp"

namespace stradsap::pp {

/// One place that changes a variable: `stats.loss += e`.
struct update {
  const clang::Expr* statement = nullptr;    // the whole assignment or step
  const clang::Expr* target = nullptr;       // the changed part of the variable
  const char* op = nullptr;                  // from api_names.hpp; null if it is no reduction
  std::vector<const clang::Expr*> guarded;   // behind && or || of the variable
  std::vector<const clang::Expr*> reads;     // mentions by the form: the second x of x = x + e
  std::vector<const clang::Expr*> repeated;  // evaluated twice if chosen: both e of e > x ? e : x
  std::vector<const clang::Expr*> operands;  // the folded values
  clang::QualType computed;                  // the type of the computation, before conversion
  bool keeps_computed = false;               // of a choice: the kept value had that type
  bool takes_nan = false;                    // of a choice: NaN may replace the number so far
};

/// Whether two expressions have the same text and name the same things.
bool are_same(const clang::ASTContext& ast, const clang::Expr& a, const clang::Expr& b);

class fold_reader {
 public:
  explicit fold_reader(const region& code) : code_(code) {}

  /// The widest expression around `name`, a variable's name, that designates a part of it: stats.loss,
  /// hist[k].
  const clang::Expr& designated(const clang::Expr& name) const;
  /// The same, through std::vectors and coefficients of matrices too: sums[k][j], sums[k](j).
  const clang::Expr& designated_in_rows(const clang::Expr& name) const;

  /// The update by the statement around `target`; without an operator if it is no fold.
  update update_of(const clang::Expr& target) const;

  /// Whether the value of an assignment or a step is unused and no reference is bound to it.
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

/// The expression without parentheses and implicit conversions.
inline const clang::Expr& bare(const clang::Expr& e) { return *e.IgnoreParenImpCasts(); }

}  // namespace stradsap::pp

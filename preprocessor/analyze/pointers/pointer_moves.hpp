// How pointer variables move: p++, p += n, p = p - n, and how often before a use. Borrows from the region.
#pragma once

#include <vector>

#include "analyze/code/region.hpp"

namespace stradsap::pp {

struct pointer_move {
  const clang::Expr* statement;
  const clang::Expr* by = nullptr;  // null: one
  bool forward = true;
};

class pointer_moves {
 public:
  explicit pointer_moves(const region& code) : code_(code) {}

  std::vector<pointer_move> of(const clang::VarDecl& variable) const;
  /// Loops that repeat a statement while a variable lives, the innermost last.
  std::vector<const clang::Stmt*> loops_around(const clang::Stmt& statement,
                                               const clang::VarDecl& variable) const;
  /// Whether in each round of the innermost loop the pointer is used before it moves.
  bool comes_before(const clang::Expr& use, const pointer_move& move, const clang::VarDecl& variable) const;
  /// Why a loop or a jump may repeat the move more often than the rounds of the loops around it say; null if
  /// nothing does.
  const char* is_repeated_by(const pointer_move& move, const clang::VarDecl& variable) const;
  /// Whether each way to the use goes through the move, and once.
  bool is_done_before(const clang::Expr& use, const pointer_move& move, const clang::VarDecl& variable) const;
  /// Whether a pointer is still where it began: nothing but moves changes it, and they come later.
  bool is_at_start(const clang::DeclRefExpr& name, const clang::VarDecl& variable) const;
  /// Of `for (; p != end; ++p)`, `while (p < end)`: the end; null if the loop is none of these.
  static const clang::Expr* end_of(const clang::Stmt& loop, const clang::VarDecl& variable);
  /// p = p + e, p = p - e: the sum.
  static const clang::BinaryOperator* own_step(const clang::BinaryOperator& op,
                                               const clang::VarDecl& variable);

 private:
  bool is_evaluated_before(const clang::Stmt& first, const clang::Stmt& then) const;
  bool is_in_round(const clang::Stmt& node, const clang::Stmt& loop) const;
  bool is_repeated_by_jump(const clang::Stmt& jump, const clang::Stmt& label, const clang::Stmt& move,
                           const std::vector<const clang::Stmt*>& loops) const;

  const region& code_;
};

}  // namespace stradsap::pp

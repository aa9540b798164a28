#include "analyze/index_loop.hpp"

#include <clang/AST/ASTContext.h>

#include <algorithm>

#include "analyze/folds.hpp"
#include "analyze/uses.hpp"

namespace stradsap::pp {

static bool names(const clang::Expr& e, const clang::VarDecl& variable) {
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e.IgnoreParenCasts());
  return name != nullptr && name->getDecl() == &variable;
}

static const clang::VarDecl* declared_by(const clang::ForStmt& loop, const clang::VarDecl* wanted = nullptr) {
  const auto* statement = llvm::dyn_cast_or_null<clang::DeclStmt>(loop.getInit());
  if (statement == nullptr) return nullptr;
  for (const clang::Decl* declaration : statement->decls()) {
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration);
    const bool counts =
        variable != nullptr && variable->getInit() != nullptr && variable->getType()->isIntegerType();
    if (counts && (wanted == nullptr || wanted == variable)) return variable;
  }
  return nullptr;
}

/// 1: steps up, -1: steps down, 0: no step of this variable by a number whose sign is known.
static int direction_of(const clang::ASTContext& ast, const clang::Expr* step, const clang::VarDecl& index) {
  if (step == nullptr) return 0;
  if (const auto* comma = llvm::dyn_cast<clang::BinaryOperator>(&bare(*step));
      comma != nullptr && comma->getOpcode() == clang::BO_Comma) {
    const int left = direction_of(ast, comma->getLHS(), index);
    return left != 0 ? left : direction_of(ast, comma->getRHS(), index);
  }
  if (const auto* one = llvm::dyn_cast<clang::UnaryOperator>(&bare(*step))) {
    if (!one->isIncrementDecrementOp() || !names(*one->getSubExpr(), index)) return 0;
    return one->isIncrementOp() ? 1 : -1;
  }
  const auto* op = llvm::dyn_cast<clang::CompoundAssignOperator>(&bare(*step));
  if (op == nullptr || !names(*op->getLHS(), index)) return 0;
  clang::Expr::EvalResult by;
  const bool known = op->getRHS()->EvaluateAsInt(by, ast);
  const bool positive = known ? by.Val.getInt().isStrictlyPositive()
                              : op->getRHS()->IgnoreParenImpCasts()->getType()->isUnsignedIntegerType();
  const bool adds = op->getOpcode() == clang::BO_AddAssign;
  if (!positive || (!adds && op->getOpcode() != clang::BO_SubAssign)) return 0;
  return adds ? 1 : -1;
}

/// What it steps by; null: 1.
static const clang::Expr* step_of(const clang::Expr& step, const clang::VarDecl& index) {
  const auto* op = llvm::dyn_cast<clang::BinaryOperator>(&bare(step));
  if (op == nullptr) return nullptr;
  if (op->getOpcode() != clang::BO_Comma) return names(*op->getLHS(), index) ? op->getRHS() : nullptr;
  const clang::Expr* left = step_of(*op->getLHS(), index);
  return left != nullptr ? left : step_of(*op->getRHS(), index);
}

/// The comparison with the index among a && b && c.
static const clang::BinaryOperator* comparison_of(const clang::Expr& condition, const clang::VarDecl& index) {
  const auto* op = llvm::dyn_cast<clang::BinaryOperator>(&bare(condition));
  if (op == nullptr) return nullptr;
  if (op->getOpcode() == clang::BO_LAnd) {
    const clang::BinaryOperator* left = comparison_of(*op->getLHS(), index);
    return left != nullptr ? left : comparison_of(*op->getRHS(), index);
  }
  return op->isComparisonOp() && (names(*op->getLHS(), index) || names(*op->getRHS(), index)) ? op : nullptr;
}

/// k-- > 0, k--
static bool counts_down_in(const clang::Expr& condition, const clang::VarDecl& index, index_loop& made) {
  const clang::Expr* at = &bare(condition);
  if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(at)) at = &bare(*cast->getSubExpr());
  if (const auto* op = llvm::dyn_cast<clang::BinaryOperator>(at)) {
    if (op->getOpcode() != clang::BO_GT && op->getOpcode() != clang::BO_NE) return false;
    made.bound = op->getRHS();
    made.ignores_signs = op->getRHS()->getType()->isUnsignedIntegerType();
    at = &bare(*op->getLHS());
    made.waits_to_meet = op->getOpcode() == clang::BO_NE;
  } else {
    made.waits_to_meet = true;
  }
  made.test = &condition;
  const auto* step = llvm::dyn_cast<clang::UnaryOperator>(at);
  return step != nullptr && step->getOpcode() == clang::UO_PostDec && names(*step->getSubExpr(), index);
}

static bool is_changed_only_in(const region& code, const clang::VarDecl& index, const clang::Stmt& part) {
  use_reader reader(code);
  const auto& uses = code.uses(&index);
  return std::all_of(uses.begin(), uses.end(), [&](const clang::Expr* use) {
    if ((reader.bits_of_name(*use) & use_write) == 0) return true;
    const clang::Stmt* at = use;
    while (at != nullptr && at != &part) at = code.above(at);
    return at != nullptr;
  });
}

std::optional<index_loop> index_loop_of(const region& code, const clang::ForStmt& loop) {
  const clang::Expr* condition = loop.getCond();
  if (condition == nullptr) return std::nullopt;
  const auto* statement = llvm::dyn_cast_or_null<clang::DeclStmt>(loop.getInit());
  if (statement == nullptr) return std::nullopt;
  for (const clang::Decl* declaration : statement->decls()) {
    const clang::VarDecl* index = declared_by(loop, llvm::dyn_cast<clang::VarDecl>(declaration));
    if (index == nullptr || index != declaration) continue;
    index_loop made{index, index->getInit()};
    if (loop.getInc() == nullptr) {
      if (!counts_down_in(*condition, *index, made)) continue;
      made.counts_up = false;
      made.steps_in_condition = true;
      if (is_changed_only_in(code, *index, *condition)) return made;
      continue;
    }
    const int direction = direction_of(code.ast(), loop.getInc(), *index);
    const clang::BinaryOperator* test = comparison_of(*condition, *index);
    if (direction == 0 || test == nullptr || !is_changed_only_in(code, *index, *loop.getInc())) continue;
    const bool left = names(*test->getLHS(), *index);
    const auto kind =
        left ? test->getOpcode() : clang::BinaryOperator::reverseComparisonOp(test->getOpcode());
    made.test = test;
    made.bound = left ? test->getRHS() : test->getLHS();
    made.counts_up = direction > 0;
    made.by = step_of(*loop.getInc(), *index);
    made.waits_to_meet = kind == clang::BO_NE;
    made.ignores_signs = test->getLHS()->getType()->isUnsignedIntegerType();
    made.is_inclusive = kind == clang::BO_LE || kind == clang::BO_GE;
    const bool below = kind == clang::BO_LT || kind == clang::BO_LE || kind == clang::BO_NE;
    const bool above = kind == clang::BO_GT || kind == clang::BO_GE || kind == clang::BO_NE;
    if (made.counts_up ? below : above) return made;
  }
  return std::nullopt;
}

const clang::VarDecl* counter_of(const region& code, const clang::Stmt& loop) {
  const clang::Expr* condition = nullptr;
  if (const auto* whiles = llvm::dyn_cast<clang::WhileStmt>(&loop)) condition = whiles->getCond();
  if (const auto* plain = llvm::dyn_cast<clang::ForStmt>(&loop)) {
    if (plain->getInit() == nullptr && plain->getInc() == nullptr) condition = plain->getCond();
  }
  if (condition == nullptr) return nullptr;
  const clang::Expr* at = condition->IgnoreParenCasts();
  if (const auto* op = llvm::dyn_cast<clang::BinaryOperator>(at)) {
    clang::Expr::EvalResult bound;
    const bool above_zero = (op->getOpcode() == clang::BO_GT || op->getOpcode() == clang::BO_NE) &&
                            op->getRHS()->EvaluateAsInt(bound, code.ast()) && bound.Val.getInt() == 0;
    if (!above_zero) return nullptr;
    at = op->getLHS()->IgnoreParenCasts();
  }
  const auto* step = llvm::dyn_cast<clang::UnaryOperator>(at);
  if (step == nullptr || step->getOpcode() != clang::UO_PostDec) return nullptr;
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(step->getSubExpr()->IgnoreParens());
  const auto* counter = name == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(name->getDecl());
  const bool counts = counter != nullptr && counter->getType()->isIntegerType() && code.declares(counter) &&
                      is_changed_only_in(code, *counter, *condition);
  return counts ? counter : nullptr;
}

}  // namespace stradsap::pp

#include "analyze/code/index_loop.hpp"

#include <clang/AST/ASTContext.h>

#include <algorithm>

#include "analyze/code/control.hpp"
#include "analyze/code/folds.hpp"
#include "analyze/code/uses.hpp"

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

/// 1 for a step up, -1 for a step down, 0 if the expression does not step this variable by a number of known
/// sign.
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

/// The expression by which the index steps; null for 1.
static const clang::Expr* step_of(const clang::Expr& step, const clang::VarDecl& index) {
  const auto* op = llvm::dyn_cast<clang::BinaryOperator>(&bare(step));
  if (op == nullptr) return nullptr;
  if (op->getOpcode() != clang::BO_Comma) return names(*op->getLHS(), index) ? op->getRHS() : nullptr;
  const clang::Expr* left = step_of(*op->getLHS(), index);
  return left != nullptr ? left : step_of(*op->getRHS(), index);
}

/// 0 for the index, c for the index plus a constant c above 0; else nothing.
static std::optional<std::int64_t> how_far_ahead(const clang::ASTContext& ast, const clang::Expr& e,
                                                 const clang::VarDecl& index) {
  if (names(e, index)) return 0;
  const auto* sum = llvm::dyn_cast<clang::BinaryOperator>(&bare(e));
  clang::Expr::EvalResult ahead;
  const bool is_sum = sum != nullptr && sum->getOpcode() == clang::BO_Add && names(*sum->getLHS(), index) &&
                      sum->getType()->isSignedIntegerType() && sum->getRHS()->EvaluateAsInt(ahead, ast);
  if (!is_sum || ahead.Val.getInt().isNegative() || ahead.Val.getInt().getActiveBits() > 31)
    return std::nullopt;
  return ahead.Val.getInt().getExtValue();
}

/// The comparison with the index in a && b && c.
static const clang::BinaryOperator* comparison_of(const clang::ASTContext& ast, const clang::Expr& condition,
                                                  const clang::VarDecl& index) {
  const auto* op = llvm::dyn_cast<clang::BinaryOperator>(&bare(condition));
  if (op == nullptr) return nullptr;
  if (op->getOpcode() == clang::BO_LAnd) {
    const clang::BinaryOperator* left = comparison_of(ast, *op->getLHS(), index);
    return left != nullptr ? left : comparison_of(ast, *op->getRHS(), index);
  }
  const bool compares = op->isComparisonOp() && (how_far_ahead(ast, *op->getLHS(), index) ||
                                                 how_far_ahead(ast, *op->getRHS(), index));
  return compares ? op : nullptr;
}

/// Whether the condition is k-- > 0 or k--; fills in the bound.
static bool counts_down_in(const clang::Expr& condition, const clang::VarDecl& index, index_loop& made) {
  const clang::Expr* at = &bare(condition);
  if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(at)) at = &bare(*cast->getSubExpr());
  if (const auto* op = llvm::dyn_cast<clang::BinaryOperator>(at)) {
    if (op->getOpcode() != clang::BO_GT && op->getOpcode() != clang::BO_NE) return false;
    made.bound = op->getRHS();
    if (!made.bound->getType()->isIntegralOrUnscopedEnumerationType()) return false;
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

static bool is_in(const region& code, const clang::Stmt* node, const clang::Stmt* part) {
  while (node != nullptr && node != part) node = code.above(node);
  return node != nullptr && part != nullptr;
}

static bool is_changed_only_in(const region& code, const clang::VarDecl& index, const clang::Stmt& part) {
  use_reader reader(code);
  const auto& uses = code.uses(&index);
  return std::all_of(uses.begin(), uses.end(), [&](const clang::Expr* use) {
    return (reader.bits_of_name(*use) & use_write) == 0 || is_in(code, use, &part);
  });
}

/// The end that a condition sets to an index; nothing if it does not stop steps in this direction.
static std::optional<index_bound> bound_of(const clang::ASTContext& ast, const clang::Expr& condition,
                                           const clang::VarDecl& index, const clang::Expr& step, bool up) {
  const clang::BinaryOperator* test = comparison_of(ast, condition, index);
  if (test == nullptr) return std::nullopt;
  const std::optional<std::int64_t> ahead = how_far_ahead(ast, *test->getLHS(), index);
  const bool left = ahead.has_value();
  const auto kind = left ? test->getOpcode() : clang::BinaryOperator::reverseComparisonOp(test->getOpcode());
  index_bound made{left ? test->getRHS() : test->getLHS(), test, step_of(step, index)};
  made.ahead = left ? *ahead : *how_far_ahead(ast, *test->getRHS(), index);
  if (!made.bound->getType()->isIntegralOrUnscopedEnumerationType()) return std::nullopt;  // k < 4.5
  made.is_inclusive = kind == clang::BO_LE || kind == clang::BO_GE;
  made.waits_to_meet = kind == clang::BO_NE;
  made.ignores_signs = test->getLHS()->getType()->isUnsignedIntegerType();
  const bool below = kind == clang::BO_LT || kind == clang::BO_LE;
  const bool above = kind == clang::BO_GT || kind == clang::BO_GE;
  const bool stops = made.waits_to_meet || (up ? below : above);
  return stops && (made.ahead == 0 || (up && !made.waits_to_meet)) ? std::optional(made) : std::nullopt;
}

const clang::ForStmt* loop_declaring(const region& code, const clang::VarDecl& index) {
  const clang::Stmt* declared = code.declaration_of(&index);
  const auto* loop =
      declared == nullptr ? nullptr : llvm::dyn_cast_or_null<clang::ForStmt>(code.above(declared));
  return loop != nullptr && loop->getInit() == declared ? loop : nullptr;
}

std::optional<index_loop> index_loop_of(const region& code, const clang::ForStmt& loop) {
  const clang::Expr* condition = loop.getCond();
  if (condition == nullptr) return std::nullopt;
  const auto* statement = llvm::dyn_cast_or_null<clang::DeclStmt>(loop.getInit());
  if (statement == nullptr) return std::nullopt;
  for (const clang::Decl* declaration : statement->decls()) {
    const clang::VarDecl* index = declared_by(loop, llvm::dyn_cast<clang::VarDecl>(declaration));
    if (index == nullptr || index != declaration) continue;
    if (loop.getInc() == nullptr) {
      index_loop made{{}, index, index->getInit(), /*counts_up=*/false, /*steps_in_condition=*/true};
      if (counts_down_in(*condition, *index, made) && is_changed_only_in(code, *index, *condition))
        return made;
      continue;
    }
    const int direction = direction_of(code.ast(), loop.getInc(), *index);
    if (direction == 0 || !is_changed_only_in(code, *index, *loop.getInc())) continue;
    if (const auto end = bound_of(code.ast(), *condition, *index, *loop.getInc(), direction > 0))
      return index_loop{*end, index, index->getInit(), direction > 0};
  }
  return std::nullopt;
}

/// The expressions that change a variable, if all are increments of it; else none.
static std::vector<const clang::Expr*> steps_of(const region& code, const clang::VarDecl& index) {
  use_reader reader(code);
  std::vector<const clang::Expr*> steps;
  for (const clang::Expr* use : code.uses(&index)) {
    if ((reader.bits_of_name(*use) & use_write) == 0) continue;
    const clang::Stmt* above = code.above(use);
    while (llvm::isa_and_nonnull<clang::ParenExpr>(above)) above = code.above(above);
    const auto* change = llvm::dyn_cast_or_null<clang::Expr>(above);
    if (change == nullptr || direction_of(code.ast(), change, index) != 1) return {};
    steps.push_back(change);
  }
  return steps;
}

/// The one loop that repeats a step while the variable lives; else null.
static const clang::Stmt* only_loop_around(const region& code, const clang::Stmt& step,
                                           const clang::Stmt& declared) {
  const clang::Stmt* loop = nullptr;
  for (const clang::Stmt* at = code.above(&step); at != nullptr; at = code.above(at)) {
    const bool is_head = is_loop(*at) && code.above(&declared) == at;
    if (!is_head && is_in(code, &declared, at)) return loop;
    if (!is_loop(*at)) continue;
    if (loop != nullptr) return nullptr;
    loop = at;
    if (is_head) return loop;
  }
  return nullptr;
}

template <class... Kinds> static bool has_any(const region& code, const clang::Stmt& part) {
  return std::any_of(code.nodes().begin(), code.nodes().end(), [&](const clang::Stmt* node) {
    return llvm::isa<Kinds...>(node) && is_in(code, node, &part);
  });
}

static bool has_labels(const region& code, const clang::FunctionDecl* function) {
  return std::any_of(code.nodes().begin(), code.nodes().end(), [&](const clang::Stmt* node) {
    return llvm::isa<clang::LabelStmt>(node) && code.function_of(node) == function;
  });
}

/// Whether a switch around the loop jumps past its test.
static bool is_entered_by_switch(const region& code, const clang::Stmt& loop) {
  return std::any_of(code.nodes().begin(), code.nodes().end(), [&](const clang::Stmt* node) {
    if (!llvm::isa<clang::SwitchCase>(node) || !is_in(code, node, &loop)) return false;
    const clang::Stmt* at = node;
    while (at != &loop && !llvm::isa<clang::SwitchStmt>(at)) at = code.above(at);
    return at == &loop;
  });
}

/// Whether a comparison sees the value of the index: it has no sign, or is not negative.
static bool is_compared_as_is(const clang::ASTContext& ast, const clang::VarDecl& index,
                              const index_bound& end) {
  clang::Expr::EvalResult start;
  return !end.ignores_signs || index.getType()->isUnsignedIntegerType() ||
         (index.getInit()->EvaluateAsInt(start, ast) && !start.Val.getInt().isNegative());
}

/// The loop in which a step counts; nothing if its form is unknown.
static std::optional<counting> counting_of(const region& code, const clang::VarDecl& index,
                                           const clang::Expr& step) {
  const clang::Stmt* loop = only_loop_around(code, step, *code.declaration_of(&index));
  if (loop == nullptr || is_entered_by_switch(code, *loop)) return std::nullopt;
  const loop_parts parts = tested_parts_of(*loop);
  if (parts.condition == nullptr || is_in(code, &step, parts.condition)) return std::nullopt;
  const std::optional<index_bound> end = bound_of(code.ast(), *parts.condition, index, step, /*up=*/true);
  if (!end || end->waits_to_meet || !is_compared_as_is(code.ast(), index, *end)) return std::nullopt;
  if (end->by != nullptr && index.getType()->isUnsignedIntegerType()) return std::nullopt;  // it may wrap
  const clang::Stmt* statement = &step;
  while (llvm::isa_and_nonnull<clang::FullExpr>(code.above(statement))) statement = code.above(statement);
  const bool is_direct = code.above(statement) == parts.body && llvm::isa<clang::CompoundStmt>(parts.body) &&
                         !has_any<clang::ContinueStmt>(code, *parts.body);
  return counting{*end, loop, &step, is_direct || is_in(code, &step, parts.increment)};
}

std::optional<counted_variable> counted_variable_of(const region& code, const clang::VarDecl& index) {
  const clang::Stmt* declared = code.declaration_of(&index);
  const clang::QualType type = index.getType();
  const bool counts = declared != nullptr && index.getInit() != nullptr && !index.isStaticLocal() &&
                      type->isIntegerType() && !type->isEnumeralType() &&
                      code.ast().getTypeSize(type) >= code.ast().getTypeSize(code.ast().IntTy);
  const std::vector<const clang::Expr*> steps =
      counts ? steps_of(code, index) : std::vector<const clang::Expr*>();
  if (steps.empty() || has_labels(code, code.function_of(declared))) return std::nullopt;
  counted_variable made{index.getInit(), {}};
  for (const clang::Expr* step : steps) {
    if (code.function_of(step) != code.function_of(declared)) return std::nullopt;
    const std::optional<counting> one = counting_of(code, index, *step);
    const bool again = one && std::any_of(made.loops.begin(), made.loops.end(),
                                          [&](const counting& other) { return other.loop == one->loop; });
    if (!one || again) return std::nullopt;
    made.loops.push_back(*one);
  }
  return made;
}

bool counting::is_in_round(const region& code, const clang::Expr& use) const {
  if (code.function_of(&use) != code.function_of(step) || !is_in(code, &use, loop)) return false;
  const auto order = [&](const clang::Stmt* node) { return code.parent(node).order; };
  const loop_parts parts = tested_parts_of(*loop);
  if (is_in(code, &use, parts.condition)) return !is_in(code, &use, test) && order(test) < order(&use);
  if (!is_in(code, &use, parts.body)) return false;
  if (is_in(code, step, parts.increment)) return true;
  const clang::Stmt* whole = step;
  while (llvm::isa_and_nonnull<clang::Expr>(code.above(whole))) whole = code.above(whole);
  return !is_in(code, &use, whole) && order(&use) < order(whole);
}

std::optional<counted_variable> counted_by(const region& code, const clang::Stmt& loop) {
  const clang::Expr* condition = tested_parts_of(loop).condition;
  if (condition == nullptr) return std::nullopt;
  for (const clang::Stmt* node : code.nodes()) {
    const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(node);
    const auto* variable = name == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(name->getDecl());
    if (variable == nullptr || !is_in(code, name, condition)) continue;
    const std::optional<counted_variable> found = counted_variable_of(code, *variable);
    if (!found) continue;
    for (const counting& one : found->loops) {
      if (one.loop == &loop && one.steps_each_round) return counted_variable{found->start, {one}};
    }
  }
  return std::nullopt;
}

const clang::VarDecl* counter_of(const region& code, const clang::Stmt& loop) {
  const auto* plain = llvm::dyn_cast<clang::ForStmt>(&loop);
  const clang::Expr* condition = tested_parts_of(loop).condition;
  if (condition == nullptr ||
      (plain != nullptr && (plain->getInit() != nullptr || plain->getInc() != nullptr)))
    return nullptr;
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

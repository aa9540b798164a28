#include "analyze/pointers/pointer_moves.hpp"

#include <clang/AST/StmtCXX.h>

#include <algorithm>

#include "analyze/code/control.hpp"
#include "analyze/code/folds.hpp"
#include "analyze/code/index_loop.hpp"
#include "analyze/code/uses.hpp"

namespace stradsap::pp {

static bool is_name_of(const clang::Expr& e, const clang::VarDecl& variable) {
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&bare(e));
  return name != nullptr && name->getDecl() == &variable;
}

const clang::BinaryOperator* pointer_moves::own_step(const clang::BinaryOperator& op,
                                                     const clang::VarDecl& variable) {
  const auto* sum = llvm::dyn_cast<clang::BinaryOperator>(&bare(*op.getRHS()));
  if (op.getOpcode() != clang::BO_Assign || sum == nullptr || !sum->isAdditiveOp()) return nullptr;
  return is_name_of(*sum->getLHS(), variable) ? sum : nullptr;
}

std::vector<pointer_move> pointer_moves::of(const clang::VarDecl& variable) const {
  std::vector<pointer_move> found;
  for (const clang::Expr* use : code_.uses(&variable)) {
    const clang::Stmt* above = code_.above(use);
    while (llvm::isa_and_nonnull<clang::ParenExpr>(above)) above = code_.above(above);
    if (const auto* step = llvm::dyn_cast_or_null<clang::UnaryOperator>(above)) {
      if (step->isIncrementDecrementOp()) found.push_back({step, nullptr, step->isIncrementOp()});
    } else if (const auto* op = llvm::dyn_cast_or_null<clang::BinaryOperator>(above)) {
      const bool left = op->getLHS()->IgnoreParens() == use;
      if (op->isCompoundAssignmentOp() && left)
        found.push_back({op, op->getRHS(), op->getOpcode() == clang::BO_AddAssign});
      const clang::BinaryOperator* sum = left ? own_step(*op, variable) : nullptr;
      if (sum != nullptr) found.push_back({op, sum->getRHS(), sum->getOpcode() == clang::BO_Add});
    }
  }
  return found;
}

std::vector<const clang::Stmt*> pointer_moves::loops_around(const clang::Stmt& statement,
                                                            const clang::VarDecl& variable) const {
  const clang::Stmt* declared = code_.declaration_of(&variable);
  std::vector<const clang::Stmt*> found;
  for (const clang::Stmt* at = code_.lexically_above(&statement); at != nullptr;
       at = code_.lexically_above(at)) {
    const bool in_head = declared != nullptr && code_.above(declared) == at;
    if (declared != nullptr && !in_head && code_.is_around(at, declared)) break;
    if (is_loop(*at)) found.insert(found.begin(), at);
  }
  return found;
}

/// Whether the language evaluates the left of two operands first, in the order of the text.
static bool keeps_the_order_of_text(const clang::Stmt& around) {
  if (!llvm::isa<clang::Expr>(around) || llvm::isa<clang::InitListExpr, clang::ConditionalOperator>(around))
    return true;
  const auto* op = llvm::dyn_cast<clang::BinaryOperator>(&around);
  return op != nullptr && (op->isLogicalOp() || op->getOpcode() == clang::BO_Comma);
}

/// Whether `first` is complete when `then` begins, apart from loops. Both belong to one function, and neither
/// contains the other. The operands of `*p = *p++` are evaluated from right to left, those of a call in any
/// order.
bool pointer_moves::is_evaluated_before(const clang::Stmt& first, const clang::Stmt& then) const {
  if (code_.function_of(&first) != code_.function_of(&then)) return false;  // a lambda runs when it is called
  if (code_.parent(&first).order >= code_.parent(&then).order) return false;
  const clang::Stmt* around = code_.above(&first);
  while (around != nullptr && !code_.is_around(around, &then)) around = code_.above(around);
  return around == nullptr || keeps_the_order_of_text(*around);
}

/// Whether the node runs at most once in each round: not if a condition evaluates it before it decides on the
/// round.
bool pointer_moves::is_in_round(const clang::Stmt& node, const clang::Stmt& loop) const {
  const clang::Expr* condition = tested_parts_of(loop).condition;
  if (condition == nullptr || !code_.is_around(condition, &node)) return true;
  const auto* plain = llvm::dyn_cast<clang::ForStmt>(&loop);
  const std::optional<index_loop> found = plain == nullptr ? std::nullopt : index_loop_of(code_, *plain);
  return found && !code_.is_around(found->test, &node) && is_evaluated_before(*found->test, node);
}

/// Whether the jump goes back over the move, or into a loop around the move without a test of its condition.
bool pointer_moves::is_repeated_by_jump(const clang::Stmt& jump, const clang::Stmt& label,
                                        const clang::Stmt& move,
                                        const std::vector<const clang::Stmt*>& loops) const {
  const auto order = [&](const clang::Stmt& node) { return code_.parent(&node).order; };
  const bool back = order(label) < order(jump);
  return (back && order(label) < order(move) && order(move) < order(jump)) ||
         std::any_of(loops.begin(), loops.end(), [&](const clang::Stmt* loop) {
           return code_.is_around(loop, &label) && !code_.is_around(loop, &jump);
         });
}

const char* pointer_moves::is_repeated_by(const pointer_move& move, const clang::VarDecl& variable) const {
  const std::vector<const clang::Stmt*> loops = loops_around(*move.statement, variable);
  for (const clang::Stmt* loop : loops) {
    if (!is_in_round(*move.statement, *loop)) return "the condition of a loop moves it";
  }
  const clang::FunctionDecl* function = code_.function_of(move.statement);
  const clang::Stmt* declared = code_.declaration_of(&variable);
  for (const clang::Stmt* node : code_.nodes()) {
    if (code_.function_of(node) != function) continue;
    const auto* jump = llvm::dyn_cast<clang::GotoStmt>(node);
    if (jump == nullptr && !llvm::isa<clang::SwitchCase>(node)) continue;
    const clang::Stmt* from = node;
    while (jump == nullptr && !llvm::isa<clang::SwitchStmt>(from)) from = code_.above(from);
    const clang::Stmt* to = jump == nullptr ? node : jump->getLabel()->getStmt();
    const bool made_anew = declared != nullptr && code_.parent(to).order < code_.parent(declared).order;
    if (!made_anew && is_repeated_by_jump(*from, *to, *move.statement, loops))
      return "a jump may repeat its move";
  }
  return nullptr;
}

bool pointer_moves::comes_before(const clang::Expr& use, const pointer_move& move,
                                 const clang::VarDecl& variable) const {
  const std::vector<const clang::Stmt*> loops = loops_around(*move.statement, variable);
  if (!loops.empty() && !code_.is_around(loops.back(), &use)) return false;
  const auto* step = llvm::dyn_cast<clang::UnaryOperator>(move.statement);
  if (step != nullptr && code_.is_around(step, &use)) return step->isPostfix();
  if (code_.is_around(move.statement, &use)) return false;
  const auto* loop = loops.empty() ? nullptr : llvm::dyn_cast<clang::ForStmt>(loops.back());
  if (loop != nullptr && loop->getInc() != nullptr && code_.is_around(loop->getInc(), move.statement))
    return code_.is_around(loop->getBody(), &use);
  if (!loops.empty() && !is_in_round(use, *loops.back())) return false;
  return is_evaluated_before(use, *move.statement);
}

bool pointer_moves::is_done_before(const clang::Expr& use, const pointer_move& move,
                                   const clang::VarDecl& variable) const {
  const clang::FunctionDecl* function = code_.function_of(move.statement);
  const bool jumps = std::any_of(code_.nodes().begin(), code_.nodes().end(), [&](const clang::Stmt* node) {
    return llvm::isa<clang::LabelStmt>(node) && code_.function_of(node) == function;
  });
  if (jumps || !loops_around(*move.statement, variable).empty()) return false;
  const clang::Stmt* statement = move.statement;
  const clang::Stmt* block = code_.above(statement);
  const auto is_comma = [](const clang::Stmt* node) {
    const auto* op = llvm::dyn_cast<clang::BinaryOperator>(node);
    return op != nullptr && op->getOpcode() == clang::BO_Comma;
  };
  while (block != nullptr && (llvm::isa<clang::FullExpr>(block) || is_comma(block)))
    block = code_.above(statement = block);
  if (block == nullptr || !llvm::isa<clang::CompoundStmt>(block)) return false;
  const clang::Stmt* around = code_.above(block);
  const bool chosen = around != nullptr && llvm::isa<clang::SwitchStmt>(around);
  return !chosen && code_.is_around(block, &use) && !code_.is_around(statement, &use) &&
         is_evaluated_before(*move.statement, use);
}

bool pointer_moves::is_at_start(const clang::DeclRefExpr& name, const clang::VarDecl& variable) const {
  use_reader reader(code_);
  const auto& uses = code_.uses(&variable);
  const auto writes = std::count_if(
      uses.begin(), uses.end(), [&](const clang::Expr* use) { return (reader.bits(*use) & use_write) != 0; });
  const std::vector<pointer_move> all = of(variable);
  return static_cast<std::size_t>(writes) == all.size() &&
         std::all_of(all.begin(), all.end(), [&](const pointer_move& one) {
           const std::vector<const clang::Stmt*> loops = loops_around(*one.statement, variable);
           const bool repeated = !loops.empty() && code_.is_around(loops.front(), &name);
           return !repeated && is_evaluated_before(name, *one.statement);
         });
}

const clang::Expr* pointer_moves::end_of(const clang::Stmt& loop, const clang::VarDecl& variable) {
  const clang::Expr* condition = tested_parts_of(loop).condition;
  const auto* test =
      condition == nullptr ? nullptr : llvm::dyn_cast<clang::BinaryOperator>(&bare(*condition));
  if (test == nullptr) return nullptr;
  const auto kind = test->getOpcode();
  if (is_name_of(*test->getLHS(), variable) && (kind == clang::BO_LT || kind == clang::BO_NE))
    return test->getRHS();
  if (is_name_of(*test->getRHS(), variable) && (kind == clang::BO_GT || kind == clang::BO_NE))
    return test->getLHS();
  return nullptr;
}

}  // namespace stradsap::pp

#include "analyze/code/counting_loop.hpp"

#include <clang/AST/StmtCXX.h>

#include <algorithm>

#include "analyze/code/folds.hpp"
#include "analyze/code/uses.hpp"

namespace stradsap::pp {

static bool names(const clang::Expr& e, const clang::VarDecl& variable) {
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&bare(e));
  return name != nullptr && name->getDecl() == &variable;
}

/// Null where the loop declares no integer, or more than one.
static const clang::VarDecl* index_of(const clang::ForStmt& loop) {
  const auto* statement = llvm::dyn_cast_or_null<clang::DeclStmt>(loop.getInit());
  if (statement == nullptr || !statement->isSingleDecl()) return nullptr;
  const auto* index = llvm::dyn_cast<clang::VarDecl>(statement->getSingleDecl());
  return index != nullptr && index->getType()->isIntegerType() ? index : nullptr;
}

std::optional<counting_loop> counting_loop_of(const region& code, const clang::ForStmt& loop) {
  const clang::VarDecl* index = index_of(loop);
  const auto* step = llvm::dyn_cast_or_null<clang::UnaryOperator>(loop.getInc());
  if (index == nullptr || step == nullptr || !step->isIncrementDecrementOp()) return std::nullopt;
  if (!names(*step->getSubExpr(), *index)) return std::nullopt;
  use_reader reader(code);
  const auto& uses = code.uses(index);
  const bool alone = std::all_of(uses.begin(), uses.end(), [&](const clang::Expr* use) {
    return code.above(use) == step || (reader.bits_of_name(*use) & use_write) == 0;
  });
  if (!alone) return std::nullopt;
  const auto* test =
      loop.getCond() == nullptr ? nullptr : llvm::dyn_cast<clang::BinaryOperator>(&bare(*loop.getCond()));
  const bool compares = test != nullptr && test->isComparisonOp() && names(*test->getLHS(), *index) &&
                        test->getRHS()->getType()->isIntegralOrUnscopedEnumerationType();
  return counting_loop{index, step, compares ? test : nullptr};
}

bool counting_loop::surely_ends() const {
  if (test == nullptr) return false;
  const clang::BinaryOperatorKind op = test->getOpcode();
  const bool below = op == clang::BO_LT || op == clang::BO_LE;
  const bool above = op == clang::BO_GT || op == clang::BO_GE;
  return step->isIncrementOp() ? below : above;
}

}  // namespace stradsap::pp

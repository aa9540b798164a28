#include "analyze/access/guards.hpp"

#include <clang/AST/StmtCXX.h>

#include "analyze/code/control.hpp"

namespace stradsap::pp {
namespace {

class guard_finder {
 public:
  explicit guard_finder(const dependences& depends) : depends_(depends) {}

  void add(const clang::Expr& condition, bool holds) { add(condition, holds, {}); }

  void add_around(const region& code, const clang::Stmt& statement) {
    const clang::Stmt* child = &statement;
    for (const clang::Stmt* at = code.above(child); at != nullptr; child = at, at = code.above(at)) {
      if (const auto* branch = llvm::dyn_cast<clang::IfStmt>(at)) {
        if (branch->getCond() != child) add(*branch->getCond(), branch->getThen() == child);
      } else if (const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(at)) {
        if (choice->getCond() != child) add(*choice->getCond(), choice->getTrueExpr() == child);
      } else if (const auto* op = llvm::dyn_cast<clang::BinaryOperator>(at)) {
        if (op->isLogicalOp() && op->getRHS() == child) add(*op->getLHS(), op->getOpcode() == clang::BO_LAnd);
      } else if (const auto* block = llvm::dyn_cast<clang::CompoundStmt>(at)) {
        add_jumps(*block, *child);
      } else if (const loop_parts loop = tested_parts_of(*at); loop.condition != nullptr) {
        if (loop.body == child) add(*loop.condition, true);
      }
    }
  }

  [[nodiscard]] std::vector<guard> take() { return std::move(found_); }

 private:
  void add(const clang::Expr& condition, bool holds, const std::vector<const clang::Expr*>& others) {
    const clang::Expr& e = depends_.behind_names(condition);
    const auto* inverse = llvm::dyn_cast<clang::UnaryOperator>(&e);
    if (inverse != nullptr && inverse->getOpcode() == clang::UO_LNot)
      return add(*inverse->getSubExpr(), !holds, others);
    const auto* op = llvm::dyn_cast<clang::BinaryOperator>(&e);
    if (op == nullptr || !op->isLogicalOp()) return found_.push_back({&e, holds, others});
    const bool both = (op->getOpcode() == clang::BO_LAnd) == holds;
    add_side(*op->getLHS(), holds, others, both ? nullptr : op->getRHS());
    add_side(*op->getRHS(), holds, others, both ? nullptr : op->getLHS());
  }
  void add_side(const clang::Expr& side, bool holds, std::vector<const clang::Expr*> others,
                const clang::Expr* other) {
    if (other != nullptr) others.push_back(other);
    add(side, holds, others);
  }

  static bool is_jump(const clang::Stmt& node) {
    if (const auto* block = llvm::dyn_cast<clang::CompoundStmt>(&node))
      return !block->body_empty() && is_jump(*block->body_back());
    return llvm::isa<clang::ContinueStmt, clang::ReturnStmt, clang::BreakStmt>(node);
  }
  void add_jumps(const clang::CompoundStmt& block, const clang::Stmt& until) {
    for (const clang::Stmt* one : block.body()) {
      if (one == &until) return;
      const auto* branch = llvm::dyn_cast<clang::IfStmt>(one);
      if (branch != nullptr && branch->getElse() == nullptr && is_jump(*branch->getThen()))
        add(*branch->getCond(), false);
    }
  }

  const dependences& depends_;
  std::vector<guard> found_;
};

}  // namespace

std::vector<guard> guards_in(const dependences& depends, const clang::Expr& condition, bool holds) {
  guard_finder found(depends);
  found.add(condition, holds);
  return found.take();
}

std::vector<guard> guards_of(const region& code, const dependences& depends, const clang::Stmt& statement) {
  guard_finder found(depends);
  found.add_around(code, statement);
  return found.take();
}

}  // namespace stradsap::pp

#include "analyze/code/control.hpp"

#include <clang/AST/StmtCXX.h>

#include <algorithm>
#include <iterator>
#include <set>

namespace stradsap::pp {

/// The conditions in `node` that decide whether, and how often, its `child` runs.
static std::vector<const clang::Stmt*> deciders(const clang::Stmt& node, const clang::Stmt* child) {
  const auto unless_itself = [child](const clang::Stmt* condition) {
    return condition == child ? std::vector<const clang::Stmt*>()
                              : std::vector<const clang::Stmt*>{condition};
  };
  if (const auto* s = llvm::dyn_cast<clang::IfStmt>(&node)) {
    if (child == s->getInit() || child == s->getConditionVariableDeclStmt()) return {};
    return unless_itself(s->getCond());
  }
  if (const auto* s = llvm::dyn_cast<clang::SwitchStmt>(&node)) {
    if (child == s->getInit() || child == s->getConditionVariableDeclStmt()) return {};
    return unless_itself(s->getCond());
  }
  if (const auto* s = llvm::dyn_cast<clang::AbstractConditionalOperator>(&node))
    return unless_itself(s->getCond());
  if (const auto* s = llvm::dyn_cast<clang::ForStmt>(&node)) {
    return s->getInit() == child ? std::vector<const clang::Stmt*>()
                                 : std::vector<const clang::Stmt*>{s->getCond()};
  }
  if (const auto* s = llvm::dyn_cast<clang::WhileStmt>(&node)) return {s->getCond()};
  if (const auto* s = llvm::dyn_cast<clang::DoStmt>(&node)) return {s->getCond()};
  if (const auto* s = llvm::dyn_cast<clang::CXXForRangeStmt>(&node)) {
    return s->getBody() == child ? std::vector<const clang::Stmt*>{s->getRangeInit()}
                                 : std::vector<const clang::Stmt*>();
  }
  const auto* op = llvm::dyn_cast<clang::BinaryOperator>(&node);
  if (op != nullptr && op->isLogicalOp()) return unless_itself(op->getLHS());
  return {};
}

loop_parts tested_parts_of(const clang::Stmt& loop) {
  if (const auto* whiles = llvm::dyn_cast<clang::WhileStmt>(&loop))
    return {whiles->getCond(), whiles->getBody()};
  if (const auto* plain = llvm::dyn_cast<clang::ForStmt>(&loop))
    return {plain->getCond(), plain->getBody(), plain->getInc()};
  return {};
}

const clang::Stmt* body_of(const clang::Stmt& loop) {
  if (const auto* ranged = llvm::dyn_cast<clang::CXXForRangeStmt>(&loop)) return ranged->getBody();
  return tested_parts_of(loop).body;
}

std::vector<const clang::Stmt*> conditions_above(const region& code, const clang::Stmt& node) {
  std::vector<const clang::Stmt*> found;
  const clang::Stmt* child = &node;
  for (const clang::Stmt* at = code.above(child); at != nullptr; child = at, at = code.above(at)) {
    const std::vector<const clang::Stmt*> here = deciders(*at, child);
    found.insert(found.end(), here.begin(), here.end());
  }
  return found;
}

bool is_loop(const clang::Stmt& node) {
  return llvm::isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::CXXForRangeStmt>(node);
}

std::vector<const clang::Stmt*> parts_of_loop(const clang::Stmt& loop) {
  if (const auto* ranged = llvm::dyn_cast<clang::CXXForRangeStmt>(&loop))
    return {ranged->getRangeInit(), ranged->getBody()};
  std::vector<const clang::Stmt*> parts;
  std::copy_if(loop.child_begin(), loop.child_end(), std::back_inserter(parts),
               [](const clang::Stmt* part) { return part != nullptr; });
  return parts;
}

const clang::CXXForRangeStmt* loop_over(const region& code, const clang::VarDecl& range) {
  if (!range.isImplicit() || !range.getName().starts_with("__range")) return nullptr;
  for (const clang::Stmt* node : code.nodes()) {
    const auto* loop = llvm::dyn_cast<clang::CXXForRangeStmt>(node);
    if (loop != nullptr && loop->getRangeStmt()->getSingleDecl() == &range) return loop;
  }
  return nullptr;
}

const clang::Stmt* left_by(const region& code, const clang::Stmt& exit) {
  if (!llvm::isa<clang::BreakStmt, clang::ContinueStmt>(exit)) return nullptr;
  const clang::Stmt* at = code.above(&exit);
  while (at != nullptr && !is_loop(*at) &&
         !(llvm::isa<clang::BreakStmt>(exit) && llvm::isa<clang::SwitchStmt>(at))) {
    at = code.above(at);
  }
  return at;
}

bool is_always_evaluated(const clang::Stmt& part, const clang::Stmt& whole) {
  if (const auto* choice = llvm::dyn_cast<clang::AbstractConditionalOperator>(&whole))
    return choice->getCond() == &part;
  if (const auto* branch = llvm::dyn_cast<clang::IfStmt>(&whole)) return branch->getCond() == &part;
  if (const auto* op = llvm::dyn_cast<clang::BinaryOperator>(&whole); op != nullptr && op->isLogicalOp())
    return op->getLHS() == &part;
  return !llvm::isa<clang::SwitchStmt, clang::CXXTryStmt, clang::CXXCatchStmt, clang::LambdaExpr,
                    clang::UnaryExprOrTypeTraitExpr>(whole);
}

bool jumps_back(const region& code, const clang::GotoStmt& jump) {
  const clang::Stmt* label = jump.getLabel()->getStmt();
  return code.parent(label).order < code.parent(&jump).order;
}

/// A node and all statements around it.
static std::set<const clang::Stmt*> chain_above(const region& code, const clang::Stmt& node) {
  std::set<const clang::Stmt*> found;
  for (const clang::Stmt* at = &node; at != nullptr; at = code.above(at)) found.insert(at);
  return found;
}

static bool may_precede(const region& code, const clang::Stmt& first, const clang::Stmt& then,
                        const std::set<const clang::Stmt*>& around_then) {
  if (code.parent(&first).order < code.parent(&then).order) return true;
  for (const clang::Stmt* at = &first; at != nullptr; at = code.above(at)) {
    if (is_loop(*at) && around_then.count(at) != 0) return true;
  }
  return false;
}

bool may_precede(const region& code, const clang::Stmt& first, const clang::Stmt& then) {
  if (code.function_of(&first) != code.function_of(&then)) return true;
  return may_precede(code, first, then, chain_above(code, then));
}

bool decides(const region& code, const clang::Stmt& exit, const clang::Stmt& node) {
  const std::set<const clang::Stmt*> around = chain_above(code, node);
  const clang::Stmt* left = left_by(code, exit);
  if (left != nullptr && around.count(left) == 0) return false;
  return may_precede(code, exit, node, around);
}

}  // namespace stradsap::pp

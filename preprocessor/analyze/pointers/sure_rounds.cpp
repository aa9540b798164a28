#include "analyze/pointers/sure_rounds.hpp"

#include <clang/AST/StmtCXX.h>

#include <algorithm>

#include "analyze/code/control.hpp"
#include "analyze/code/index_loop.hpp"
#include "analyze/code/known_functions.hpp"

namespace stradsap::pp {

std::optional<std::vector<offset>> sure_rounds::up_to(const clang::Expr& e, const certain_way& way) {
  find_jumps();
  if (has_try_ || way.function == nullptr || code_.function_of(&e) != way.function) return std::nullopt;
  std::vector<offset> rounds = way.rounds;
  std::vector<const clang::Stmt*> loops;
  const clang::Stmt* part = &e;
  for (const clang::Stmt* at = code_.above(part); at != nullptr; part = at, at = code_.above(at)) {
    if (way.since != nullptr && code_.is_around(part, way.since)) break;
    if (!is_loop(*at)) {
      if (!is_always_evaluated(*part, *at)) return std::nullopt;
      continue;
    }
    const auto* loop = llvm::dyn_cast<clang::ForStmt>(at);
    const bool starts_in_round = way.since != nullptr && code_.is_around(at, way.since) &&
                                 (loop == nullptr || !code_.is_around(loop->getInit(), way.since));
    const bool counts = loop != nullptr && part == loop->getBody() && index_loop_of(code_, *loop);
    if (starts_in_round || !counts) return std::nullopt;
    try {
      rounds.push_back(offsets_.of_index(*loop, way.path));
    } catch (const unbounded&) {
      return std::nullopt;
    }
    if (!rounds.back().is_exact) return std::nullopt;
    loops.push_back(loop);
  }
  return may_be_left(e, way, loops) ? std::nullopt : std::optional(std::move(rounds));
}

/// Whether a jump behind the start of the way may leave out `e`, or a round of a loop around it.
bool sure_rounds::may_be_left(const clang::Expr& e, const certain_way& way,
                              const std::vector<const clang::Stmt*>& loops) {
  const std::size_t begin = way.since == nullptr ? 0 : code_.parent(way.since).order;
  const std::size_t end = code_.parent(&e).order;
  return std::any_of(jumps_.begin(), jumps_.end(), [&](const clang::Stmt* jump) {
    if (code_.function_of(jump) != way.function || code_.is_around(jump, &e)) return false;
    if (llvm::isa<clang::GotoStmt, clang::IndirectGotoStmt>(jump)) return true;
    const clang::Stmt* left = left_by(code_, *jump);
    if (left != nullptr && !code_.is_around(left, &e)) return false;
    const std::size_t order = code_.parent(jump).order;
    return order > begin &&
           (order < end ||
            std::any_of(
                loops.begin(), loops.end(), [&](const auto* loop) { return code_.is_around(loop, jump); }));
  });
}

void sure_rounds::find_jumps() {
  if (has_jumps_) return;
  has_jumps_ = true;
  for (const clang::Stmt* node : code_.nodes()) {
    has_try_ |= llvm::isa<clang::CXXTryStmt>(node);
    if (llvm::isa<clang::CXXThrowExpr>(node)) throws_.push_back(node);
  }
  for (const clang::Stmt* node : code_.nodes()) {
    if (is_jump(*node)) jumps_.push_back(node);
  }
}

bool sure_rounds::is_jump(const clang::Stmt& node) const {
  if (llvm::isa<clang::ReturnStmt, clang::BreakStmt, clang::ContinueStmt, clang::CXXThrowExpr,
                clang::GotoStmt, clang::IndirectGotoStmt>(node))
    return true;
  return llvm::isa<clang::CallExpr, clang::CXXConstructExpr>(node) &&
         throws(callee_of(llvm::cast<clang::Expr>(node)));
}

/// Whether a call may not return: the function says so, or a function in sight throws.
bool sure_rounds::throws(const clang::FunctionDecl* callee) const {
  if (callee == nullptr) return !throws_.empty();
  if (callee->isNoReturn()) return true;
  return !throws_.empty() && code_.in_sight(callee) != nullptr;
}

}  // namespace stradsap::pp

#include "analyze/frontend/steering.hpp"

#include <clang/AST/StmtCXX.h>

#include <algorithm>
#include <set>

#include "analyze/code/control.hpp"
#include "analyze/code/known_functions.hpp"

namespace stradsap::pp {

steering::steering(const loop_facts& facts, const container_modes& modes, const dependences& depends)
    : facts_(facts), depends_(depends) {
  for (const access& one : facts.accesses) {
    if (modes.is_found_beforehand(one)) data_.merge(deciders_of(one));
  }
}

origins steering::deciders_of(const access& one) const {
  origins found = depends_.of_access(*one.call);
  if (!one.reach) return found;
  for (const clang::Expr* part : one.reach->parts) found.merge(depends_.of_value(*part));
  return found;
}

/// Whether the value of the call gets into data that steer, or decides which code runs.
bool steering::decides(const clang::Expr& call) const {
  const auto is_access = [&](const clang::Stmt* node) {
    return std::any_of(facts_.accesses.begin(), facts_.accesses.end(),
                       [&](const access& one) { return one.call == node; });
  };
  const auto steers = [&](const clang::ValueDecl* variable) {
    return variable != nullptr && data_.count(variable) != 0;
  };
  for (const clang::Stmt* at = &call;;) {
    const parent_link above = facts_.code.parent(at);
    if (above.variable != nullptr) return steers(above.variable);
    at = above.statement;
    if (at == nullptr || is_access(at)) return at != nullptr;
    const auto* op = llvm::dyn_cast<clang::BinaryOperator>(at);
    if (op != nullptr && op->isAssignmentOp()) {
      const origins changed = depends_.storage(*op->getLHS());
      if (std::any_of(changed.begin(), changed.end(), steers)) return true;
    }
    if (!llvm::isa<clang::Expr>(at))
      return llvm::isa<clang::IfStmt, clang::SwitchStmt, clang::ReturnStmt>(at) || is_loop(*at);
  }
}

std::vector<std::string> steering::unknown() const {
  std::set<std::string> deciding, all;
  for (const clang::Stmt* node : facts_.code.nodes()) {
    if (!llvm::isa<clang::CallExpr, clang::CXXConstructExpr>(node)) continue;
    const auto& call = *llvm::cast<clang::Expr>(node);
    if (!depends_.is_unknown(call)) continue;
    const clang::FunctionDecl* callee = callee_of(call);
    const std::string name =
        callee == nullptr ? "a function behind a pointer" : "`" + spoken_name(*callee) + "`";
    all.insert(name);
    if (decides(call)) deciding.insert(name);
  }
  if (deciding.empty() && depends_.catches()) return {"an exception that the body catches"};
  const std::set<std::string>& found = deciding.empty() ? all : deciding;
  return {found.begin(), found.end()};
}

bool steering::is_steady(const clang::ValueDecl* container) const {
  return facts_.written_through_const.count(container) == 0 && depends_.leaves_alone(container, data_);
}

}  // namespace stradsap::pp

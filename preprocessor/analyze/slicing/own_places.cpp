#include "analyze/slicing/own_places.hpp"

#include <clang/AST/StmtCXX.h>
#include <llvm/ADT/STLExtras.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "analyze/code/control.hpp"
#include "analyze/code/folds.hpp"
#include "analyze/code/known_functions.hpp"
#include "analyze/code/types.hpp"
#include "analyze/dependences/index_names.hpp"
#include "analyze/source/api_names.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

namespace {

class place_reader {
 public:
  place_reader(const region& code, const dependences& depends) : code_(code), depends_(depends) {}

  bool is_own(const access& one) const {
    if (code_.function_of(one.call) != &code_.body() || one.containers.size() != 1) return false;
    if (container_name((*one.containers.begin())->getType()) != api::dvector) return false;
    const clang::Expr* object = object_of(*one.call);
    if (object == nullptr || !llvm::isa<clang::DeclRefExpr, clang::MemberExpr>(behind_as_const(*object)))
      return false;
    const std::vector<const clang::Expr*> arguments = arguments_of(*one.call);
    if (arguments.empty() || !is_in_row(*arguments[0])) return false;
    const auto is_plain = [&](const clang::Expr* part) { return !reads_data(*part); };
    if (!std::all_of(arguments.begin(), arguments.end(), is_plain)) return false;
    if (one.reach && (one.reach->lost != nullptr ||
                      !std::all_of(one.reach->parts.begin(), one.reach->parts.end(), is_plain)))
      return false;
    return goes_along_row(*one.call, arguments);
  }

  /// Whether elements, random numbers or unknown data may decide the value.
  bool reads_data(const clang::Stmt& value) const {
    const origins found = depends_.of_value(value);
    return std::any_of(found.begin(), found.end(), [](const clang::ValueDecl* root) {
      return root == nullptr || llvm::isa<clang::FunctionDecl>(root) || is_container(root->getType());
    });
  }

 private:
  /// Whether the loops around an access, and they alone, move it along its row. A slice without conditions
  /// runs for each iteration, so it must not take longer than a walk over the row.
  bool goes_along_row(const clang::Expr& call, const std::vector<const clang::Expr*>& places) const {
    origins named;
    for (const clang::Expr* place : places) {
      if (!add_names(*place, named)) return false;
    }
    origins steps;
    for (const clang::Stmt* at = code_.above(&call); at != nullptr; at = code_.above(at)) {
      if (llvm::isa<clang::WhileStmt, clang::DoStmt, clang::CXXForRangeStmt>(at)) return false;
      const auto* loop = llvm::dyn_cast<clang::ForStmt>(at);
      if (loop == nullptr) continue;
      const auto* init = llvm::dyn_cast_or_null<clang::DeclStmt>(loop->getInit());
      if (init == nullptr || !init->isSingleDecl()) return false;
      const auto* step = llvm::dyn_cast<clang::VarDecl>(init->getSingleDecl());
      if (step == nullptr || named.count(step) == 0 || depends_.changes_of(step).size() != 1) return false;
      steps.insert(step);
    }
    return std::all_of(named.begin(), named.end(), [&](const clang::ValueDecl* variable) {
      return steps.count(variable) != 0 || depends_.changes_of(variable).empty();
    });
  }

  /// Adds the variables that a place names, also through local names. False if it calls a function.
  bool add_names(const clang::Stmt& part, origins& named) const {
    const auto* expression = llvm::dyn_cast<clang::Expr>(&part);
    const clang::Stmt& node = expression == nullptr ? part : depends_.behind_names(*expression);
    const auto* call = llvm::dyn_cast<clang::CallExpr>(&node);
    if (call != nullptr && (call->getDirectCallee() == nullptr || !is_in_std(*call->getDirectCallee())))
      return false;
    if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&node)) {
      if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(name->getDecl())) named.insert(variable);
    }
    return llvm::all_of(node.children(), [&](const clang::Stmt* child) {
      return child == nullptr || add_names(*child, named);
    });
  }

  /// j, j * K, j * K + k. A neighbour's element such as X[j + 1] or X[j * K + k + K] is not in the row: an
  /// omitted condition may keep such iterations apart.
  bool is_in_row(const clang::Expr& place) const {
    std::vector<const clang::Expr*> addends;
    add_addends(place, addends);
    const auto is_base = [&](const clang::Expr* addend) { return length_of_row(*addend) != nullptr; };
    const auto base = std::find_if(addends.begin(), addends.end(), is_base);
    if (base == addends.end()) return addends.size() == 1 && is_index(*addends[0]);
    const clang::Expr& length = *length_of_row(**base);
    addends.erase(base);
    return std::all_of(addends.begin(), addends.end(),
                       [&](const clang::Expr* addend) { return is_column(*addend, length); });
  }

  void add_addends(const clang::Expr& sum, std::vector<const clang::Expr*>& found) const {
    const clang::Expr& e = depends_.behind_names(sum);
    const auto* op = llvm::dyn_cast<clang::BinaryOperator>(&e);
    if (op == nullptr || op->getOpcode() != clang::BO_Add) return found.push_back(&e);
    add_addends(*op->getLHS(), found);
    add_addends(*op->getRHS(), found);
  }

  /// K of j * K; else null.
  const clang::Expr* length_of_row(const clang::Expr& base) const {
    const auto* product = llvm::dyn_cast<clang::BinaryOperator>(&base);
    if (product == nullptr || product->getOpcode() != clang::BO_Mul) return nullptr;
    if (is_index(*product->getLHS())) return &depends_.behind_names(*product->getRHS());
    return is_index(*product->getRHS()) ? &depends_.behind_names(*product->getLHS()) : nullptr;
  }

  /// Whether an addend may be part of a column: no difference, no whole row.
  bool is_column(const clang::Expr& addend, const clang::Expr& length) const {
    const clang::Expr& e = depends_.behind_names(addend);
    const std::optional<std::int64_t> by = constant(e), most = constant(length);
    if (by) return *by >= 0 && (!most || *by < *most);
    const auto* op = llvm::dyn_cast<clang::BinaryOperator>(&e);
    if (op == nullptr) return llvm::isa<clang::DeclRefExpr, clang::MemberExpr>(e) && !is_same(e, length);
    return op->getOpcode() == clang::BO_Mul && is_column(*op->getLHS(), length) &&
           is_column(*op->getRHS(), length);
  }

  std::optional<std::int64_t> constant(const clang::Expr& e) const {
    clang::Expr::EvalResult known;
    if (!e.EvaluateAsInt(known, code_.ast()) || !known.Val.getInt().isRepresentableByInt64())
      return std::nullopt;
    return known.Val.getInt().getExtValue();
  }

  bool is_same(const clang::Expr& a, const clang::Expr& b) const { return are_same(code_.ast(), a, b); }

  bool is_index(const clang::Expr& e) const { return is_loop_index(code_, depends_.behind_names(e)); }

  const region& code_;
  const dependences& depends_;
};

bool is_branch(const region& code, const clang::Stmt& condition) {
  const clang::Stmt* above = code.above(&condition);
  if (const auto* branch = llvm::dyn_cast_or_null<clang::IfStmt>(above))
    return branch->getCond() == &condition;
  const auto* op = llvm::dyn_cast_or_null<clang::BinaryOperator>(above);
  return (op != nullptr && op->isLogicalOp()) || llvm::isa_and_nonnull<clang::ConditionalOperator>(above);
}

}  // namespace

std::set<const clang::Stmt*> conditions_on_own_places(const region& code, const dependences& depends,
                                                      const std::vector<const access*>& targets) {
  const place_reader places(code, depends);
  if (!std::all_of(targets.begin(), targets.end(), [&](const access* one) { return places.is_own(*one); }))
    return {};
  std::set<const clang::Stmt*> found;
  const auto add = [&](const clang::Stmt& node) {
    for (const clang::Stmt* condition : conditions_above(code, node)) {
      if (condition != nullptr && is_branch(code, *condition) && places.reads_data(*condition))
        found.insert(condition);
    }
  };
  for (const access* one : targets) add(*one->call);
  for (const clang::Stmt* exit : code.nodes()) {
    if (!llvm::isa<clang::ReturnStmt, clang::BreakStmt, clang::ContinueStmt>(exit)) continue;
    if (code.function_of(exit) != &code.body()) continue;
    if (std::any_of(targets.begin(), targets.end(),
                    [&](const access* one) { return decides(code, *exit, *one->call); }))
      add(*exit);
  }
  return found;
}

}  // namespace stradsap::pp

#include "analyze/access/copy_folds.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/StmtCXX.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "analyze/access/element_names.hpp"
#include "analyze/code/folds.hpp"
#include "analyze/code/uses.hpp"
#include "analyze/source/api_names.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

/// The value that is assigned to an expression; null if there is none.
static const clang::Expr* assigned_to(const region& code, const clang::Expr& target) {
  const clang::Stmt* above = code.above(&target);
  while (llvm::isa_and_nonnull<clang::ParenExpr>(above)) above = code.above(above);
  const clang::Expr* left = nullptr;
  const clang::Expr* right = nullptr;
  if (const auto* op = llvm::dyn_cast_or_null<clang::BinaryOperator>(above);
      op != nullptr && op->getOpcode() == clang::BO_Assign) {
    left = op->getLHS();
    right = op->getRHS();
  } else if (const auto* call = llvm::dyn_cast_or_null<clang::CXXOperatorCallExpr>(above);
             call != nullptr && call->getOperator() == clang::OO_Equal) {
    left = call->getArg(0);
    right = call->getArg(1);
  }
  return left != nullptr && left->IgnoreParens() == &target ? right : nullptr;
}

namespace {

/// A comparison that decides a statement, as it is if the statement runs, or as it is not.
struct guard {
  const clang::BinaryOperator* test = nullptr;
  bool holds = true;
};

/// The comparisons by order around a statement, and of the jumps before it: `if (v >= x) continue;`.
class guard_finder {
 public:
  guard_finder(const region& code, const clang::Stmt& statement) : code_(code) {
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
      }
    }
  }
  [[nodiscard]] std::vector<guard> take() { return std::move(found_); }

 private:
  void add(const clang::Expr& condition, bool holds) {
    const clang::Expr& e = bare(condition);
    if (const auto* op = llvm::dyn_cast<clang::UnaryOperator>(&e)) {
      if (op->getOpcode() == clang::UO_LNot) add(*op->getSubExpr(), !holds);
    } else if (const auto* test = llvm::dyn_cast<clang::BinaryOperator>(&e)) {
      if (test->isRelationalOp()) found_.push_back({test, holds});
      if (!test->isLogicalOp()) return;
      add(*test->getLHS(), holds);
      add(*test->getRHS(), holds);
    }
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

  const region& code_;
  std::vector<guard> found_;
};

/// Finds the changes of one container, and the fold that they have in common.
class fold_finder {
 public:
  fold_finder(const region& code, const dependences& depends, const clang::ValueDecl& container,
              const origins& written)
      : code_(code),
        depends_(depends),
        container_(container),
        element_(element_of(container.getType())),
        written_(written),
        forms_(code) {}

  void add(const access& one) {
    if ((one.bits & use_write) == 0 || one.containers.count(&container_) == 0) return;
    for (const clang::Expr* name : names_of(code_, *one.call)) {
      if (name == nullptr) {
        add_hidden(*one.call);
      } else if ((use_reader(code_).bits(*name) & use_write) != 0) {
        add_change(*name);
      }
    }
  }

  found_fold take() {
    if (kinds_.size() == 1) return {*kinds_.begin(), std::move(doubts_)};
    const bool has_others = kinds_.count(copy_fold::differences) != 0;
    if (!kinds_.empty() && !has_others) return {copy_fold::last_parts, std::move(doubts_)};
    for (const clang::Expr* store : stores_) doubts_.push_back({doubtful_change::reason::mixed, store});
    return {copy_fold::differences, std::move(doubts_)};
  }

 private:
  void add_change(const clang::Expr& name) {
    const clang::Expr& target = forms_.designated_in_rows(name);
    const clang::Expr* value = assigned_to(code_, target);
    if (value == nullptr) {
      const bool is_shown = forms_.update_of(target).statement != nullptr;
      return is_shown ? void(kinds_.insert(copy_fold::differences)) : add_hidden(target);
    }
    const std::vector<guard> guards = guard_finder(code_, *code_.above(&target)).take();
    if (const std::optional<copy_fold> best = kept_by(target, *value, guards))
      return void(kinds_.insert(*best));
    if (!is_store_of(*value)) return void(kinds_.insert(copy_fold::differences));
    stores_.push_back(&target);
    if (std::any_of(guards.begin(), guards.end(), [&](const guard& one) { return chooses(*one.test); }))
      doubts_.push_back({doubtful_change::reason::chosen, &target});
    const bool is_whole = !element_.isNull() && code_.ast().hasSameUnqualifiedType(element_, target.getType());
    kinds_.insert(is_whole ? copy_fold::last : copy_fold::last_parts);
  }

  void add_hidden(const clang::Expr& where) {
    kinds_.insert(copy_fold::differences);
    doubts_.push_back({doubtful_change::reason::hidden, &where});
  }

  /// Whether the assignment keeps the least or the greatest of the values.
  std::optional<copy_fold> kept_by(const clang::Expr& target, const clang::Expr& value,
                                   const std::vector<guard>& guards) const {
    const update made = forms_.update_of(target);
    const std::string_view op = made.op == nullptr ? "" : made.op;
    if (op == api::fold_minimum || op == api::fold_minimum_number) return copy_fold::least;
    if (op == api::fold_maximum || op == api::fold_maximum_number) return copy_fold::greatest;
    for (const guard& one : guards) {
      const bool is_left = same(*one.test->getLHS(), value) && same(*one.test->getRHS(), target);
      const bool is_right = same(*one.test->getRHS(), value) && same(*one.test->getLHS(), target);
      if (!is_left && !is_right) continue;
      const auto kind = one.test->getOpcode();
      const bool is_less = kind == clang::BO_LT || kind == clang::BO_LE;
      return (is_less == is_left) == one.holds ? copy_fold::least : copy_fold::greatest;
    }
    return std::nullopt;
  }

  /// An expression without casts; of a local variable, its only value.
  [[nodiscard]] const clang::Expr& behind(const clang::Expr& e) const {
    const clang::Expr* at = e.IgnoreParenCasts();
    while (true) {
      const clang::Expr* next = depends_.behind_names(*at).IgnoreParenCasts();
      if (next == at) return *at;
      at = next;
    }
  }
  [[nodiscard]] bool same(const clang::Expr& a, const clang::Expr& b) const {
    return are_same(code_.ast(), behind(a), behind(b)) ||
           are_same(code_.ast(), *a.IgnoreParenCasts(), *b.IgnoreParenCasts());
  }

  /// A value that comes from no element of the container, or is that of another one: `label[i] = label[j]`.
  [[nodiscard]] bool is_store_of(const clang::Expr& value) const {
    if (depends_.of_value(value).count(&container_) == 0) return true;
    const clang::Expr& copied = behind(value);
    return copied.isLValue() && !llvm::isa<clang::DeclRefExpr>(copied) &&
           depends_.storage(copied).count(&container_) != 0;
  }

  /// Whether the test compares elements that the loop changes with other values than constants.
  [[nodiscard]] bool chooses(const clang::BinaryOperator& test) const {
    const auto is_constant = [&](const clang::Expr* side) {
      return !side->isValueDependent() && side->isEvaluatable(code_.ast());
    };
    if (is_constant(test.getLHS()) || is_constant(test.getRHS())) return false;
    const origins compared = depends_.of_value(test);
    return std::any_of(written_.begin(), written_.end(),
                       [&](const clang::ValueDecl* one) { return compared.count(one) != 0; });
  }

  const region& code_;
  const dependences& depends_;
  const clang::ValueDecl& container_;
  const clang::QualType element_;
  const origins& written_;
  const fold_reader forms_;
  std::set<copy_fold> kinds_;
  std::vector<const clang::Expr*> stores_;
  std::vector<doubtful_change> doubts_;
};

}  // namespace

found_fold fold_of_copies(const region& code, const dependences& depends, const std::vector<access>& accesses,
                          const clang::ValueDecl* container, const origins& written) {
  fold_finder found(code, depends, *container, written);
  for (const access& one : accesses) found.add(one);
  return found.take();
}

}  // namespace stradsap::pp

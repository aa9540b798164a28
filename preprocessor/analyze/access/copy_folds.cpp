#include "analyze/access/copy_folds.hpp"

#include <clang/AST/ASTContext.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "analyze/access/element_names.hpp"
#include "analyze/access/guards.hpp"
#include "analyze/code/effects.hpp"
#include "analyze/code/folds.hpp"
#include "analyze/code/known_functions.hpp"
#include "analyze/code/types.hpp"
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

/// The fold of copies that began with the element's value, if an operator makes each of them.
static std::optional<copy_fold> fold_by(const char* op) {
  const std::string_view name = op == nullptr ? "" : op;
  if (name == api::fold_minimum || name == api::fold_minimum_number) return copy_fold::least;
  if (name == api::fold_maximum || name == api::fold_maximum_number) return copy_fold::greatest;
  if (name == api::fold_bit_and) return copy_fold::and_bits;
  if (name == api::fold_bit_or) return copy_fold::or_bits;
  if (name == api::fold_bit_xor) return copy_fold::xor_bits;
  if (name == api::fold_any || name == api::fold_all) return copy_fold::last_parts;
  if (!name.empty()) return copy_fold::differences;
  return std::nullopt;
}

/// std::min(a, b), std::fmax(a, b), std::min(a, b, less)
static std::optional<copy_fold> best_by(const clang::CallExpr& call) {
  const clang::FunctionDecl* callee = call.getDirectCallee();
  if (callee == nullptr || callee->getIdentifier() == nullptr || is_users(*callee) || call.getNumArgs() < 2)
    return std::nullopt;
  const llvm::StringRef name = callee->getName();
  if (name == "min" || name == "fmin" || name == "fminf") return copy_fold::least;
  if (name == "max" || name == "fmax" || name == "fmaxf") return copy_fold::greatest;
  return std::nullopt;
}

namespace {

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
    if ((one.bits & use_write) != 0 && one.containers.count(&container_) != 0) add_names_of(*one.call);
  }

  found_fold take() {
    const bool keeps_best = kinds_ == std::set{copy_fold::least} || kinds_ == std::set{copy_fold::greatest};
    const bool has_stores = !firsts_.empty() || !constants_.empty();
    if (!keeps_best && has_stores) kinds_.insert(are_whole_ ? copy_fold::last : copy_fold::last_parts);
    if (kinds_ == std::set{copy_fold::last, copy_fold::last_parts}) kinds_ = {copy_fold::last_parts};
    if (kinds_.size() < 2) return {kinds_.empty() ? copy_fold::differences : *kinds_.begin(), doubts_};
    const bool has_others = kinds_.count(copy_fold::differences) != 0;
    if (has_others || doubts_.empty()) {
      for (const clang::Expr* one : operators_) doubts_.push_back({doubtful_change::reason::mixed, one});
    }
    if (!has_others) return {copy_fold::last_parts, doubts_};
    for (const std::vector<const clang::Expr*>* some : {&stores_, &firsts_, &constants_}) {
      for (const clang::Expr* one : *some) {
        const bool is_fraction = one->getType()->isRealFloatingType();  // a step of them is often meant
        if (!is_fraction) doubts_.push_back({doubtful_change::reason::mixed, one});
      }
    }
    return {copy_fold::differences, doubts_};
  }

 private:
  void add_names_of(const clang::Expr& place) {
    if (!followed_.insert(&place).second) return;
    const std::vector<const clang::Expr*> names = names_of(code_, place);
    const auto changes = [&](const clang::Expr* name) {
      return name != nullptr && (use_reader(code_).bits(*name) & use_write) != 0;
    };
    const bool shows_some = std::any_of(names.begin(), names.end(), changes) || is_view(place.getType());
    for (const clang::Expr* name : names) {
      if (changes(name)) {
        add_change(*name);
      } else if (name == nullptr && shows_some) {
        kinds_.insert(copy_fold::differences);  // a pointer is compared or moved, a span is used in any way
      } else if (name == nullptr) {
        add_hidden(place);
      }
    }
  }

  void add_change(const clang::Expr& name) {
    const clang::Expr& target = forms_.designated_in_rows(name);
    const update made = forms_.update_of(target);
    const clang::Expr* value = assigned_to(code_, target);
    if (value == nullptr && made.statement == nullptr) return add_part(name, target);
    const std::optional<copy_fold> by_operator = fold_by(made.op);
    const bool is_number = target.getType()->isArithmeticType();
    if (value == nullptr || (by_operator && is_number))
      return add_kind(by_operator.value_or(copy_fold::differences), target);
    const std::vector<guard> guards = guards_of(code_, depends_, *code_.above(&target));
    if (const auto best = kept_by(target, *value, guards)) {
      const auto* call = llvm::dyn_cast<clang::CallExpr>(&behind(*value));
      const bool has_order = call != nullptr && call->getNumArgs() > 2;
      // the members of a class have no least value together
      return is_number && !has_order ? add_kind(*best, target) : add_chosen(target);
    }
    if (replaces_first(target, *value, guards)) return add_store(firsts_, target);
    if (!is_store_of(target, *value)) return add_kind(copy_fold::differences, target);
    if (is_constant(*value)) return add_store(constants_, target);
    if (std::any_of(guards.begin(), guards.end(), [&](const guard& one) { return chooses(one); }))
      return add_chosen(target);
    add_last(target);
  }

  void add_last(const clang::Expr& target) {
    add_store(stores_, target);
    kinds_.insert(is_whole(target) ? copy_fold::last : copy_fold::last_parts);
  }
  void add_chosen(const clang::Expr& target) {
    doubts_.push_back({doubtful_change::reason::chosen, &target});
    add_last(target);
  }

  /// A part of an element that is given a name: `int& one = x[k].a[i]`, `int* row = x[k].a`.
  void add_part(const clang::Expr& name, const clang::Expr& target) {
    const auto* cast = llvm::dyn_cast_or_null<clang::ImplicitCastExpr>(code_.above(&target));
    const bool decays = cast != nullptr && cast->getCastKind() == clang::CK_ArrayToPointerDecay;
    const clang::Expr& part = decays ? static_cast<const clang::Expr&>(*cast) : target;
    const std::vector<const clang::Expr*> names = names_of(code_, part);
    if (&part == &name || names == std::vector<const clang::Expr*>{&part}) return add_hidden(target);
    add_names_of(part);
  }

  void add_store(std::vector<const clang::Expr*>& to, const clang::Expr& target) {
    to.push_back(&target);
    are_whole_ = are_whole_ && is_whole(target);
  }
  void add_kind(copy_fold kind, const clang::Expr& target) {
    kinds_.insert(kind);
    if (kind != copy_fold::differences && kind != copy_fold::last_parts) operators_.push_back(&target);
  }
  void add_hidden(const clang::Expr& where) {
    kinds_.insert(copy_fold::differences);
    doubts_.push_back({doubtful_change::reason::hidden, &where});
  }

  [[nodiscard]] bool is_whole(const clang::Expr& target) const {
    return !element_.isNull() && code_.ast().hasSameUnqualifiedType(element_, target.getType());
  }
  [[nodiscard]] bool is_constant(const clang::Expr& e) const {
    return !e.isValueDependent() && e.isEvaluatable(code_.ast());
  }

  /// Whether the assignment keeps the least or the greatest of the values.
  [[nodiscard]] std::optional<copy_fold> kept_by(const clang::Expr& target, const clang::Expr& value,
                                                 const std::vector<guard>& guards) const {
    const clang::Expr& e = behind(value);
    if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&e)) {
      const auto best = best_by(*call);
      if (best && (same(*call->getArg(0), target) || same(*call->getArg(1), target))) return best;
    } else if (const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(&e)) {
      const bool keeps = same(*choice->getFalseExpr(), target);
      if (keeps || same(*choice->getTrueExpr(), target))
        return kept_by(target, keeps ? *choice->getTrueExpr() : *choice->getFalseExpr(),
                       guards_in(depends_, *choice->getCond(), keeps));
    }
    for (const guard& one : guards) {
      const auto* test = llvm::dyn_cast<clang::BinaryOperator>(one.test);
      if (test == nullptr || !test->isRelationalOp()) continue;
      const bool is_left = same(*test->getLHS(), value) && same(*test->getRHS(), target);
      const bool is_right = same(*test->getRHS(), value) && same(*test->getLHS(), target);
      if ((!is_left && !is_right) || !decides_by_element(one, target)) continue;
      if (changes_after(*test, value, target) || changes_after(*test, target, target) ||
          changed_outside(code_, value) != nullptr)
        continue;
      const auto kind = test->getOpcode();
      const bool is_less = kind == clang::BO_LT || kind == clang::BO_LE;
      return (is_less == is_left) == one.holds ? copy_fold::least : copy_fold::greatest;
    }
    return std::nullopt;
  }

  /// Whether no other element than the target decides beside the guard: `x < 0 || v < x`.
  [[nodiscard]] bool decides_by_element(const guard& one, const clang::Expr& target) const {
    return std::all_of(one.others.begin(), one.others.end(),
                       [&](const clang::Expr* other) { return mentions(*other, target); });
  }
  [[nodiscard]] bool mentions(const clang::Stmt& node, const clang::Expr& target) const {
    const auto* e = llvm::dyn_cast<clang::Expr>(&node);
    if (e != nullptr && same(*e, target)) return true;
    return std::any_of(node.child_begin(), node.child_end(), [&](const clang::Stmt* child) {
      return child != nullptr && mentions(*child, target);
    });
  }

  /// Whether a variable of the expression changes between the test and the target's assignment.
  [[nodiscard]] bool changes_after(const clang::Expr& test, const clang::Stmt& e,
                                   const clang::Expr& target) const {
    const clang::ValueDecl* named = nullptr;
    if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&e)) named = name->getDecl();
    if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&e)) named = member->getMemberDecl();
    const auto order = [&](const clang::Stmt* node) { return code_.parent(node).order; };
    const clang::Stmt* assignment = code_.above(&target);
    if (named != nullptr && named != &container_) {
      for (const clang::Stmt* change : depends_.changes_of(named))
        if (order(change) > order(&test) && order(change) < order(assignment)) return true;
    }
    return std::any_of(e.child_begin(), e.child_end(), [&](const clang::Stmt* child) {
      return child != nullptr && changes_after(test, *child, target);
    });
  }

  /// Whether the assignment replaces a constant, as the value of an element that none has reached yet:
  /// `if (level[v] < 0) level[v] = level[u] + 1`.
  [[nodiscard]] bool replaces_first(const clang::Expr& target, const clang::Expr& value,
                                    const std::vector<guard>& guards) const {
    if (mentions(value, target)) return false;
    return std::any_of(guards.begin(), guards.end(), [&](const guard& one) {
      if (!one.others.empty()) return false;
      const auto* test = llvm::dyn_cast<clang::BinaryOperator>(one.test);
      if (test == nullptr) return same(*one.test, target);
      if (!test->isComparisonOp()) return false;
      return (same(*test->getLHS(), target) && is_constant(*test->getRHS())) ||
             (same(*test->getRHS(), target) && is_constant(*test->getLHS()));
    });
  }

  /// An expression without casts; of a local variable that keeps its value, that value; of a reference, its
  /// object.
  [[nodiscard]] const clang::Expr& behind(const clang::Expr& e) const {
    const clang::Expr* at = e.IgnoreImplicit()->IgnoreParenCasts();
    while (true) {
      const clang::Expr* next = depends_.behind_names(*at).IgnoreImplicit()->IgnoreParenCasts();
      const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(next);
      const auto* variable = name == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(name->getDecl());
      const bool is_alias = variable != nullptr && variable->getType()->isReferenceType() &&
                            variable->hasInit() && code_.declares(variable) &&
                            !llvm::isa<clang::ParmVarDecl>(variable);
      if (is_alias) next = variable->getInit()->IgnoreImplicit()->IgnoreParenCasts();
      if (next == at) return *at;
      at = next;
    }
  }
  [[nodiscard]] bool same(const clang::Expr& a, const clang::Expr& b) const {
    return are_same(code_.ast(), behind(a), behind(b)) ||
           are_same(code_.ast(), *a.IgnoreParenCasts(), *b.IgnoreParenCasts());
  }

  /// A value that comes from no element of the container, or is that of an element: `label[i] = label[j]`.
  /// A truth value that is kept or replaced, `seen = seen || found`, is one too.
  [[nodiscard]] bool is_store_of(const clang::Expr& target, const clang::Expr& value) const {
    if (depends_.of_value(value).count(&container_) == 0) return true;
    const clang::Expr& e = bare(value);
    if (const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(&e))
      return is_store_of(target, *choice->getTrueExpr()) && is_store_of(target, *choice->getFalseExpr());
    const auto* op = llvm::dyn_cast<clang::BinaryOperator>(&e);
    if (op != nullptr && op->isLogicalOp()) return same(*op->getLHS(), target) || same(*op->getRHS(), target);
    const clang::Expr& copied = behind(value);
    return copied.isLValue() && !llvm::isa<clang::DeclRefExpr>(copied) &&
           depends_.storage(copied).count(&container_) != 0;
  }

  /// Whether the guard compares elements that the loop changes with other values than constants.
  [[nodiscard]] bool chooses(const guard& one) const {
    const auto* test = llvm::dyn_cast<clang::BinaryOperator>(one.test);
    if (test == nullptr || !test->isRelationalOp()) return false;
    if (is_constant(*test->getLHS()) || is_constant(*test->getRHS())) return false;
    const origins compared = depends_.of_value(*test);
    return std::any_of(written_.begin(), written_.end(),
                       [&](const clang::ValueDecl* container) { return compared.count(container) != 0; });
  }

  const region& code_;
  const dependences& depends_;
  const clang::ValueDecl& container_;
  const clang::QualType element_;
  const origins& written_;
  const fold_reader forms_;
  std::set<copy_fold> kinds_;
  std::set<const clang::Expr*> followed_;      // places
  std::vector<const clang::Expr*> operators_;  // targets: kept by a comparison, or changed by bits
  std::vector<const clang::Expr*> stores_;
  std::vector<const clang::Expr*> firsts_;     // stores that replace a constant
  std::vector<const clang::Expr*> constants_;  // stores of constants: all copies agree on them
  bool are_whole_ = true;                      // all stores
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

#include "analyze/access/accumulations.hpp"

#include <algorithm>
#include <string_view>

#include "analyze/access/element_names.hpp"
#include "analyze/code/effects.hpp"
#include "analyze/code/fold_types.hpp"
#include "analyze/code/folds.hpp"
#include "analyze/code/matrix_folds.hpp"
#include "analyze/code/uses.hpp"
#include "analyze/source/api_names.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

/// Whether the access asks nothing about keys: for a dmap, only `M[key]`.
static bool asks_nothing(const access& one, const clang::ValueDecl& container) {
  if (container_name(container.getType()) == api::dvector) return true;
  const auto* op = llvm::dyn_cast<clang::CXXOperatorCallExpr>(one.call);
  return op != nullptr && op->getOperator() == clang::OO_Subscript;
}

static bool is_accumulation(const region& code, const fold_reader& forms, const update& found) {
  const clang::QualType type = number_of(found.target->getType());
  const auto differs = [&](const clang::Expr* again) { return changed_outside(code, *again) != nullptr; };
  if (std::any_of(found.repeated.begin(), found.repeated.end(), differs)) return false;
  return type->isArithmeticType() && !type->isBooleanType() && found.guarded.empty() &&
         forms.is_dropped(*found.statement) && fault_of(code.ast(), found) == fold_fault::none;
}

const char* operator_of_accumulation(const region& code, const std::vector<access>& accesses,
                                     const clang::ValueDecl* container) {
  const fold_reader forms(code);
  const char* op = nullptr;
  std::vector<const clang::Expr*> within_updates;
  std::vector<const clang::Expr*> others;
  for (const access& one : accesses) {
    if (one.bits == use_none || one.containers.count(container) == 0) continue;
    if (!asks_nothing(one, *container)) return nullptr;
    for (const clang::Expr* name : names_of(code, *one.call)) {
      if (name == nullptr) return nullptr;
      const clang::Expr& target = forms.designated_in_rows(*name);
      update found = forms.update_of(target);
      if (found.op == nullptr) found = addition_to_matrix(code, target);
      if (found.op == nullptr) {
        others.push_back(&bare(target));
        continue;
      }
      const bool same_operator = op == nullptr || std::string_view(op) == found.op;
      if (!same_operator || !is_accumulation(code, forms, found)) return nullptr;
      op = found.op;
      within_updates.insert(within_updates.end(), found.reads.begin(), found.reads.end());
    }
  }
  const auto is_within = [&](const clang::Expr* e) {
    return std::find(within_updates.begin(), within_updates.end(), e) != within_updates.end();
  };
  return std::all_of(others.begin(), others.end(), is_within) ? op : nullptr;
}

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

static bool is_read(const region& code, const clang::Expr& name) {
  const auto* cast = llvm::dyn_cast_or_null<clang::CastExpr>(code.above(&name));
  return cast != nullptr && cast->getCastKind() == clang::CK_LValueToRValue;
}

bool only_replaces(const region& code, const dependences& depends, const std::vector<access>& accesses,
                   const clang::ValueDecl* container) {
  bool replaces = false;
  for (const access& one : accesses) {
    if ((one.bits & use_write) == 0 || one.containers.count(container) == 0) continue;
    if (one.is_range || address_of(code, *one.call) != nullptr) return false;
    for (const clang::Expr* name : names_at(code, *one.call)) {
      if (name == nullptr) return false;
      if (is_read(code, *name)) continue;
      const clang::Expr* value = assigned_to(code, *name);
      if (value == nullptr || depends.of_value(*value).count(container) != 0) return false;
      replaces = true;
    }
  }
  return replaces;
}

}  // namespace stradsap::pp

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

}  // namespace stradsap::pp

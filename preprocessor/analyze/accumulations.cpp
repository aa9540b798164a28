#include "analyze/accumulations.hpp"

#include <algorithm>
#include <string_view>

#include "analyze/folds.hpp"
#include "analyze/uses.hpp"

namespace stradsap::pp {

/// The expressions that designate the element: the access itself, or the reference that it is bound to.
static std::vector<const clang::Expr*> names_of(const region& code, const clang::Expr& call) {
  const clang::VarDecl* alias = code.parent(&call).variable;
  if (alias == nullptr) return {&call};
  const bool plain = alias->getType()->isReferenceType() && !llvm::isa<clang::DecompositionDecl>(alias);
  return plain ? code.uses(alias) : std::vector<const clang::Expr*>{nullptr};
}

bool is_only_accumulated(const region& code, const std::vector<access>& accesses,
                         const clang::ValueDecl* container) {
  const fold_reader forms(code);
  const char* op = nullptr;
  std::vector<const clang::Expr*> within_updates;
  std::vector<const clang::Expr*> others;
  for (const access& one : accesses) {
    if (one.bits == use_none || one.containers.count(container) == 0) continue;
    for (const clang::Expr* name : names_of(code, *one.call)) {
      if (name == nullptr) return false;
      const clang::Expr& target = forms.designated(*name);
      const update found = forms.update_of(target);
      if (found.op == nullptr) {
        others.push_back(&bare(target));
        continue;
      }
      const bool number = target.getType()->isArithmeticType() && !target.getType()->isBooleanType();
      const bool same_operator = op == nullptr || std::string_view(op) == found.op;
      if (!number || !same_operator || !forms.is_dropped(*found.statement)) return false;
      op = found.op;
      within_updates.insert(within_updates.end(), found.reads.begin(), found.reads.end());
    }
  }
  const auto is_within = [&](const clang::Expr* e) {
    return std::find(within_updates.begin(), within_updates.end(), e) != within_updates.end();
  };
  return op != nullptr && std::all_of(others.begin(), others.end(), is_within);
}

}  // namespace stradsap::pp

#include "analyze/access/accumulations.hpp"

#include <algorithm>
#include <string_view>

#include "analyze/code/effects.hpp"
#include "analyze/code/fold_types.hpp"
#include "analyze/code/folds.hpp"
#include "analyze/code/known_functions.hpp"
#include "analyze/code/returned_places.hpp"
#include "analyze/code/types.hpp"
#include "analyze/code/uses.hpp"
#include "analyze/source/api_names.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

/// The element that a pointer or span designates: `row[k]`, `*row`, `row->count`; null in another use.
static const clang::Expr* element_at(const region& code, const clang::Expr& use) {
  const clang::Stmt* part = &use;
  const clang::Stmt* above = code.above(part);
  while (llvm::isa_and_nonnull<clang::ImplicitCastExpr, clang::MaterializeTemporaryExpr>(above)) {
    part = above;
    above = code.above(part);
  }
  const auto* found = llvm::dyn_cast_or_null<clang::Expr>(above);
  const auto* subscript = llvm::dyn_cast_or_null<clang::ArraySubscriptExpr>(found);
  const auto* step = llvm::dyn_cast_or_null<clang::UnaryOperator>(found);
  const auto* member = llvm::dyn_cast_or_null<clang::MemberExpr>(found);
  const bool is_element = (subscript != nullptr && subscript->getBase() == part) ||
                          (step != nullptr && step->getOpcode() == clang::UO_Deref) ||
                          (member != nullptr && member->isArrow()) ||
                          (found != nullptr && is_subscript_of_span(*found) && object_of(*found) == part);
  return is_element ? found : nullptr;
}

/// Whether a span is only asked for its size.
static bool asks_size(const region& code, const clang::Expr& use) {
  const clang::Stmt* above = code.above(&use);
  while (llvm::isa_and_nonnull<clang::ImplicitCastExpr>(above)) above = code.above(above);
  const auto* member = llvm::dyn_cast_or_null<clang::MemberExpr>(above);
  return member != nullptr && !member->isArrow() && member->getMemberDecl()->getNameAsString() == "size";
}

/// The elements that all uses of a pointer or span designate. Null among them if it is used in another way.
static std::vector<const clang::Expr*> elements_at(const region& code, const clang::VarDecl& row) {
  std::vector<const clang::Expr*> elements;
  for (const clang::Expr* use : code.uses(&row)) {
    if (!asks_size(code, *use)) elements.push_back(element_at(code, *use));
  }
  return elements;
}

/// The operator `&` before an access; null if there is none.
static const clang::UnaryOperator* address_of(const region& code, const clang::Expr& call) {
  const auto* op = llvm::dyn_cast_or_null<clang::UnaryOperator>(code.above(&call));
  return op != nullptr && op->getOpcode() == clang::UO_AddrOf ? op : nullptr;
}

/// The pointer or span that the access makes: `&X[i]`, `X.data() + i`, `X.span(i, n)`; null if it makes none.
static const clang::Expr* row_from(const region& code, const clang::Expr& call) {
  const clang::Expr* row = address_of(code, call);
  if (row == nullptr && (is_view(call.getType()) || call.getType()->isPointerType())) row = &call;
  while (row != nullptr) {
    const auto* above = llvm::dyn_cast_or_null<clang::Expr>(code.above(row));
    const auto* sum = llvm::dyn_cast_or_null<clang::BinaryOperator>(above);
    const bool is_moved = sum != nullptr && sum->isAdditiveOp() && sum->getType()->isPointerType();
    if (!is_moved && !llvm::isa_and_nonnull<clang::ParenExpr>(above)) break;
    row = above;
  }
  return row;
}

/// The expressions that designate the element: the given one itself, or the uses of a reference bound to it
/// or of a pointer or span that starts there.
static std::vector<const clang::Expr*> names_at(const region& code, const clang::Expr& call) {
  const clang::Expr* row = row_from(code, call);
  const clang::VarDecl* alias = code.parent(row != nullptr ? row : &call).variable;
  if (row != nullptr) {
    return alias != nullptr ? elements_at(code, *alias)
                            : std::vector<const clang::Expr*>{element_at(code, *row)};
  }
  if (alias == nullptr) return {&call};
  const bool plain = alias->getType()->isReferenceType() && !llvm::isa<clang::DecompositionDecl>(alias);
  return plain ? code.uses(alias) : std::vector<const clang::Expr*>{nullptr};
}

/// The same for an access, also where functions return it: `float* row(int i) { return &X[i * n]; }`.
static std::vector<const clang::Expr*> names_of(const region& code, const access& one) {
  std::vector<const clang::Expr*> names;
  for (const clang::Expr* user : users_of_place(code, *one.call)) {
    const std::vector<const clang::Expr*> here =
        user != nullptr ? names_at(code, *user) : std::vector<const clang::Expr*>{nullptr};
    names.insert(names.end(), here.begin(), here.end());
  }
  return names;
}

/// Whether the access asks nothing about keys: for a dmap, only `M[key]`.
static bool asks_nothing(const access& one, const clang::ValueDecl& container) {
  if (container_name(container.getType()) == api::dvector) return true;
  const auto* op = llvm::dyn_cast<clang::CXXOperatorCallExpr>(one.call);
  return op != nullptr && op->getOperator() == clang::OO_Subscript;
}

static bool is_accumulation(const region& code, const fold_reader& forms, const update& found) {
  const clang::QualType type = found.target->getType();
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
    for (const clang::Expr* name : names_of(code, one)) {
      if (name == nullptr) return nullptr;
      const clang::Expr& target = forms.designated_in_rows(*name);
      const update found = forms.update_of(target);
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

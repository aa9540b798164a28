#include "analyze/frontend/loop_options.hpp"

#include <clang/AST/ExprCXX.h>

#include <algorithm>
#include <optional>

#include "analyze/frontend/stated_models.hpp"
#include "analyze/source/api_names.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

static const clang::CallExpr* api_call(const clang::Expr& e) {
  const auto* call = llvm::dyn_cast<clang::CallExpr>(e.IgnoreUnlessSpelledInSource());
  const clang::FunctionDecl* callee = call == nullptr ? nullptr : call->getDirectCallee();
  const bool ours = callee != nullptr && callee->getIdentifier() != nullptr && is_in_api(*callee);
  return ours ? call : nullptr;
}

static std::optional<annotated_access> annotation_of(llvm::StringRef name) {
  const unsigned all =
      api::mode_read | api::mode_write | api::mode_accumulates | api::mode_adds_late | api::operator_bits;
  if (name == api::reads) return annotated_access{api::mode_read, all, api::reads, {}, {}, nullptr};
  if (name == api::writes) {
    return annotated_access{api::mode_read | api::mode_write, all, api::writes, {}, {}, nullptr};
  }
  if (name == api::adds) {
    const unsigned bits = api::mode_read | api::mode_write | api::mode_accumulates;
    return annotated_access{
        bits | api::operator_stated << api::operator_shift, all, api::adds, {}, {}, nullptr};
  }
  if (name == api::adds_late) {
    const unsigned bits = api::mode_read | api::mode_write | api::mode_accumulates | api::mode_adds_late;
    return annotated_access{
        bits | api::operator_sum << api::operator_shift, all, api::adds_late, {}, {}, nullptr};
  }
  return std::nullopt;
}

static const clang::ValueDecl* named(const clang::Expr& e) {
  const clang::Expr* name = e.IgnoreParenImpCasts();
  if (const auto* variable = llvm::dyn_cast<clang::DeclRefExpr>(name)) return variable->getDecl();
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(name)) return member->getMemberDecl();
  return nullptr;
}

/// `f` or `&model::f`.
static const clang::FunctionDecl* stated_function(const clang::Expr& e) {
  const clang::Expr* name = e.IgnoreParenImpCasts();
  const auto* address = llvm::dyn_cast<clang::UnaryOperator>(name);
  if (address != nullptr && address->getOpcode() == clang::UO_AddrOf) name = address->getSubExpr();
  return llvm::dyn_cast_or_null<clang::FunctionDecl>(named(*name));
}

static std::set<const clang::FunctionDecl*> pure_functions_of(const clang::CallExpr& option) {
  std::set<const clang::FunctionDecl*> found;
  for (const clang::Expr* listed : option.arguments()) {
    const clang::CallExpr* list = api_call(*listed);
    if (list == nullptr || list->getDirectCallee()->getName() != api::pure) continue;
    for (const clang::Expr* argument : list->arguments()) {
      if (const clang::FunctionDecl* function = stated_function(*argument))
        found.insert(function->getCanonicalDecl());
    }
  }
  return found;
}

static clang::SourceLocation word_of(const clang::CallExpr& list) {
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(list.getCallee()->IgnoreParenImpCasts());
  return name == nullptr ? clang::SourceLocation() : name->getLocation();
}

static access_annotations annotations_of(const clang::CallExpr& option) {
  access_annotations found;
  for (const clang::Expr* listed : option.arguments()) {
    const clang::CallExpr* list = api_call(*listed);
    if (list == nullptr) continue;
    auto annotation = annotation_of(list->getDirectCallee()->getName());
    for (const clang::Expr* container : list->arguments()) {
      if (!annotation || named(*container) == nullptr) continue;
      annotation->where = container->getExprLoc();
      annotation->named = container;
      if (list->getNumArgs() == 1) annotation->alone = word_of(*list);
      found[named(*container)] = *annotation;
    }
  }
  return found;
}

static bool is_dynamic_scheduler(const clang::Expr& argument) {
  const clang::CXXRecordDecl* type = argument.getType()->getAsCXXRecordDecl();
  return type != nullptr && is_in_api(*type) && type->getName() == api::dynamic_schedule;
}

static bool is_model(const clang::Expr& argument) {
  const clang::CXXRecordDecl* type = argument.getType()->getAsCXXRecordDecl();
  return type != nullptr && is_in_api(*type) && type->getName() == api::model;
}

/// consistency::ordered, approximate, sync, sync(...) and stale(...), spelled out at the call.
static bool is_unplanned_model(const clang::Expr& argument) {
  const clang::Expr* e = argument.IgnoreUnlessSpelledInSource();
  if (const auto* call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(e))
    e = call->getArg(0)->IgnoreParenImpCasts();
  const clang::ValueDecl* model = named(*e);
  if (model == nullptr || !is_in_api(*model) || model->getIdentifier() == nullptr) return false;
  return model->getName() == api::ordered || model->getName() == api::sync ||
         model->getName() == api::approximate || model->getName() == api::stale;
}

const clang::Expr* body_argument(const clang::CallExpr& call) {
  const clang::FunctionDecl& callee = *call.getDirectCallee();
  const bool has_label = callee.getParamDecl(0)->getType()->isPointerType();
  const unsigned i = (has_label ? 1u : 0u) + (callee.getName() == api::sync_for ? 2u : 1u);
  return i < call.getNumArgs() ? call.getArg(i) : nullptr;
}

loop_options loop_options_of(const clang::CallExpr& loop) {
  loop_options found;
  const clang::ASTContext& ast = loop.getDirectCallee()->getASTContext();
  found.planned = loop.getDirectCallee()->getName() != api::sync_for;
  found.folds_by_text = loop.getDirectCallee()->getName() == api::sync_for;
  for (const clang::Expr* argument : loop.arguments()) {
    if (is_unplanned_model(*argument) || is_dynamic_scheduler(*argument)) found.planned = false;
    if (is_model(*argument)) {
      found.stale = staleness_in(ast, *argument);
      found.folds_by_text = folds_by_text(ast, *argument);
    }
    const clang::CallExpr* option = api_call(*argument);
    if (option == nullptr || option->getDirectCallee()->getName() != api::access) continue;
    found.annotations = annotations_of(*option);
    found.pure = pure_functions_of(*option);
  }
  return found;
}

bool state_the_same(const loop_options& one, const loop_options& other) {
  const auto are_same = [](const auto& some, const auto& others) {
    return some.first == others.first && some.second.bits == others.second.bits &&
           some.second.mask == others.second.mask;
  };
  return one.pure == other.pure && std::equal(one.annotations.begin(), one.annotations.end(),
                                              other.annotations.begin(), other.annotations.end(), are_same);
}

}  // namespace stradsap::pp

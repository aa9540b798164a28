#include "analyze/frontend/stated_models.hpp"

#include <clang/AST/ExprCXX.h>

#include <algorithm>

#include "analyze/source/api_names.hpp"
#include "analyze/source/excerpt.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

static bool is_of_class(const clang::Expr& e, llvm::StringRef name) {
  const clang::CXXRecordDecl* type = e.getType()->getAsCXXRecordDecl();
  return type != nullptr && is_in_api(*type) && type->getIdentifier() != nullptr && type->getName() == name;
}

static const clang::ValueDecl* variable_of(const clang::Expr& e) {
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e.IgnoreParenImpCasts());
  return name == nullptr ? nullptr : name->getDecl();
}

static const clang::Expr* initialiser_of(const clang::ValueDecl& variable) {
  const auto* var = llvm::dyn_cast<clang::VarDecl>(&variable);
  return var == nullptr ? nullptr : var->getInit();
}

static std::optional<std::int64_t> constant_of(const clang::ASTContext& ast, const clang::Expr& e) {
  clang::Expr::EvalResult found;
  const bool is_constant = !e.isValueDependent() && e.EvaluateAsInt(found, ast);
  return is_constant ? std::optional(found.Val.getInt().getExtValue()) : std::nullopt;
}

/// `{.bound = 2, .free_running = true}`
static void read_options(const clang::ASTContext& ast, const clang::InitListExpr& options,
                         stated_staleness& to) {
  const clang::InitListExpr* list = options.isSemanticForm() ? &options : options.getSemanticForm();
  const clang::CXXRecordDecl* type = options.getType()->getAsCXXRecordDecl();
  if (list == nullptr || type == nullptr) return;
  for (const clang::FieldDecl* field : type->fields()) {
    if (field->getFieldIndex() >= list->getNumInits()) return;
    const clang::Expr* value = list->getInit(field->getFieldIndex());
    if (const auto* given = llvm::dyn_cast<clang::CXXDefaultInitExpr>(value)) value = given->getExpr();
    if (field->getName() == api::stale_bound) to.bound = constant_of(ast, *value);
    if (field->getName() == api::stale_free) to.runs_freely = constant_of(ast, *value).value_or(0) != 0;
  }
}

static const clang::InitListExpr* options_in(const clang::Expr* e) {
  e = e->IgnoreUnlessSpelledInSource();
  return llvm::dyn_cast<clang::InitListExpr>(e);
}

std::optional<stated_staleness> staleness_in(const clang::ASTContext& ast, const clang::Expr& model) {
  const clang::Expr* e = model.IgnoreUnlessSpelledInSource();
  if (const clang::ValueDecl* variable = variable_of(*e)) {
    const clang::Expr* init = initialiser_of(*variable);
    const bool is_fixed = init != nullptr && variable->getType().isConstQualified();
    return is_fixed ? staleness_in(ast, *init) : std::nullopt;
  }
  const auto* call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(e);
  if (call == nullptr || call->getNumArgs() < 2) return std::nullopt;
  const clang::ValueDecl* name = variable_of(*call->getArg(0));
  if (name == nullptr || !is_in_api(*name) || name->getName() != api::stale) return std::nullopt;
  stated_staleness found{excerpt(ast, e->getSourceRange()).value_or("consistency::stale")};
  for (unsigned i = 1; i < call->getNumArgs(); ++i) {
    const clang::Expr& argument = *call->getArg(i);
    if (argument.getType()->isIntegerType()) found.bound = constant_of(ast, argument);
    if (is_of_class(argument, api::hottest)) found.of_hottest = true;
    if (const clang::InitListExpr* options = options_in(&argument)) read_options(ast, *options, found);
  }
  return found;
}

/// The model among the arguments of the container's initialiser; null if there is none.
static const clang::Expr* model_of(const clang::ValueDecl& container) {
  const clang::Expr* init = initialiser_of(container);
  if (init == nullptr) return nullptr;
  const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(init->IgnoreUnlessSpelledInSource());
  if (made == nullptr) return nullptr;
  for (const clang::Expr* argument : made->arguments()) {
    const clang::Expr* model = argument->IgnoreUnlessSpelledInSource();
    if (is_of_class(*model, api::model)) return model;
  }
  return nullptr;
}

std::optional<stated_staleness> staleness_of(const clang::ASTContext& ast,
                                             const clang::ValueDecl& container) {
  const clang::Expr* model = model_of(container);
  if (model == nullptr) return std::nullopt;
  if (std::optional<stated_staleness> found = staleness_in(ast, *model)) return found;
  const clang::ValueDecl* name = variable_of(*model);
  if (name != nullptr && is_in_api(*name)) return std::nullopt;  // consistency::async
  return stated_staleness{excerpt(ast, model->getSourceRange()).value_or("..."), /*is_computed=*/true};
}

/// Whether the options give a value to `merge`.
static bool names_merge(const clang::InitListExpr& options) {
  const clang::InitListExpr* list = options.isSemanticForm() ? &options : options.getSemanticForm();
  const clang::CXXRecordDecl* type = options.getType()->getAsCXXRecordDecl();
  if (list == nullptr || type == nullptr) return false;
  return std::any_of(type->field_begin(), type->field_end(), [&](const clang::FieldDecl* field) {
    return field->getName() == api::merge && field->getFieldIndex() < list->getNumInits() &&
           !llvm::isa<clang::CXXDefaultInitExpr>(list->getInit(field->getFieldIndex()));
  });
}

bool folds_by_text(const clang::ASTContext& ast, const clang::Expr& model) {
  const clang::Expr* e = model.IgnoreUnlessSpelledInSource();
  const auto* call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(e);
  const clang::ValueDecl* name = variable_of(call == nullptr ? *e : *call->getArg(0));
  if (name == nullptr) return false;
  if (!is_in_api(*name)) {
    const clang::Expr* init = initialiser_of(*name);
    return init != nullptr && name->getType().isConstQualified() && folds_by_text(ast, *init);
  }
  if (name->getName() != api::sync && name->getName() != api::stale) return false;
  return call == nullptr || std::none_of(call->arg_begin(), call->arg_end(), [](const clang::Expr* argument) {
           const clang::InitListExpr* options = options_in(argument);
           return options != nullptr && names_merge(*options);
         });
}

bool folds_by_text(const clang::ASTContext& ast, const clang::ValueDecl& container) {
  const clang::Expr* model = model_of(container);
  return model != nullptr && folds_by_text(ast, *model);
}

}  // namespace stradsap::pp

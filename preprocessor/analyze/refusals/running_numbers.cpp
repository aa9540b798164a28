#include "analyze/refusals/running_numbers.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>
#include <set>
#include <string>

#include "analyze/source/api_names.hpp"
#include "analyze/source/excerpt.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

/// The function type of the call with an ellipsis; null for other calls.
static const clang::FunctionProtoType* variadic_type(const clang::CallExpr& call) {
  clang::QualType type = call.getCallee()->getType();
  if (type->isPointerType()) type = type->getPointeeType();
  const auto* function = type->getAs<clang::FunctionProtoType>();
  if (const clang::FunctionDecl* callee = call.getDirectCallee())
    function = callee->getType()->getAs<clang::FunctionProtoType>();
  return function != nullptr && function->isVariadic() ? function : nullptr;
}

bool passes_by_ellipsis(const clang::CallExpr& call) {
  const clang::FunctionProtoType* function = variadic_type(call);
  return function != nullptr && call.getNumArgs() > function->getNumParams();
}

/// Whether the type is spelled as a running number, also by an alias of the program.
static bool is_spelled_running(clang::QualType type) {
  const auto* named = type.getNonReferenceType()->getAs<clang::TemplateSpecializationType>();
  for (; named != nullptr && named->isTypeAlias();
       named = named->getAliasedType()->getAs<clang::TemplateSpecializationType>()) {
    const clang::TemplateDecl* alias = named->getTemplateName().getAsTemplateDecl();
    if (alias != nullptr && is_in_api(*alias) && alias->getName() == api::running) return true;
  }
  return false;
}

/// Whether the native compiler passes an object: a variable, or a value of the class that a call makes. A
/// number that an operator computes is none.
static bool passes_object(const clang::Expr& argument) {
  const clang::Expr& e = *argument.IgnoreParenImpCasts();
  const bool makes = llvm::isa<clang::CallExpr, clang::CXXFunctionalCastExpr, clang::CStyleCastExpr,
                               clang::CXXStaticCastExpr>(e);
  return e.isGLValue() || makes;
}

/// The object that std::move(x), or another function that only passes its argument on, returns.
static const clang::Expr& moved_object(const clang::Expr& argument) {
  const clang::Expr* e = argument.IgnoreParenImpCasts();
  while (const auto* call = llvm::dyn_cast<clang::CallExpr>(e)) {
    const clang::FunctionDecl* callee = call->getDirectCallee();
    const bool passes_on =
        callee != nullptr && callee->isInStdNamespace() && callee->getIdentifier() != nullptr &&
        call->getNumArgs() == 1 &&
        (callee->getName() == "move" || callee->getName() == "forward" || callee->getName() == "as_const");
    if (!passes_on) break;
    e = call->getArg(0)->IgnoreParenImpCasts();
  }
  return *e;
}

static void report_running(const clang::Expr& argument, diagnostics& out) {
  const clang::Expr& passed = moved_object(argument);
  if (!is_spelled_running(passed.getType())) return;
  const clang::ASTContext& ast = out.ast();
  const std::string text = excerpt(ast, passed.getSourceRange()).value_or("the number");
  out.report(refusal::running_passed, passed.getExprLoc(),
             {text, type_name(ast, passed.getType().getCanonicalType().getUnqualifiedType())});
}

void refuse_running_arguments(const clang::CallExpr& call, diagnostics& out) {
  for (unsigned i = variadic_type(call)->getNumParams(); i < call.getNumArgs(); ++i) {
    const clang::Expr& argument = *call.getArg(i);
    if (!argument.isTypeDependent() && passes_object(argument)) report_running(argument, out);
  }
}

/// Whether the template deduces the type of the parameter, so that an instance takes the number's object.
static bool is_deduced(const clang::ParmVarDecl& parameter) {
  const auto* function = llvm::dyn_cast<clang::FunctionDecl>(parameter.getDeclContext());
  const clang::FunctionDecl* pattern =
      function == nullptr ? nullptr : function->getTemplateInstantiationPattern();
  if (pattern == nullptr) return false;
  const unsigned i = parameter.getFunctionScopeIndex();
  const unsigned last = pattern->getNumParams() - 1;  // may be a pack
  return pattern->getNumParams() > 0 &&
         pattern->getParamDecl(std::min(i, last))->getType()->isDependentType();
}

void refuse_running_in_templates(const std::vector<const clang::CallExpr*>& variadic_calls,
                                 const std::vector<const clang::CallExpr*>& template_calls,
                                 diagnostics& out) {
  std::set<const clang::ParmVarDecl*> passed;
  for (const clang::CallExpr* call : variadic_calls) {
    for (unsigned i = variadic_type(*call)->getNumParams(); i < call->getNumArgs(); ++i) {
      if (call->getArg(i)->isTypeDependent() || !passes_object(*call->getArg(i))) continue;
      const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&moved_object(*call->getArg(i)));
      const auto* parameter = name == nullptr ? nullptr : llvm::dyn_cast<clang::ParmVarDecl>(name->getDecl());
      if (parameter != nullptr && is_deduced(*parameter) && !is_spelled_running(parameter->getType()))
        passed.insert(parameter);
    }
  }
  for (const clang::CallExpr* call : template_calls) {
    const clang::FunctionDecl* definition = call->getDirectCallee()->getDefinition();
    for (unsigned i = 0; definition != nullptr && i < call->getNumArgs() && i < definition->getNumParams();
         ++i) {
      const bool is_object = !llvm::isa<clang::CXXOperatorCallExpr>(call) && passes_object(*call->getArg(i));
      if (is_object && passed.count(definition->getParamDecl(i)) != 0) report_running(*call->getArg(i), out);
    }
  }
}

}  // namespace stradsap::pp

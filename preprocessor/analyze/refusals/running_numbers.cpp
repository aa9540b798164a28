#include "analyze/refusals/running_numbers.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>

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

void refuse_running_arguments(const clang::CallExpr& call, diagnostics& out) {
  const clang::ASTContext& ast = out.ast();
  for (unsigned i = variadic_type(call)->getNumParams(); i < call.getNumArgs(); ++i) {
    const clang::Expr& argument = *call.getArg(i);
    if (argument.isTypeDependent() || !passes_object(argument)) continue;
    const clang::Expr& passed = moved_object(argument);
    if (!is_spelled_running(passed.getType())) continue;
    const std::string text = excerpt(ast, passed.getSourceRange()).value_or("the number");
    out.report(refusal::running_passed, passed.getExprLoc(),
               {text, type_name(ast, passed.getType().getCanonicalType().getUnqualifiedType())});
  }
}

}  // namespace stradsap::pp

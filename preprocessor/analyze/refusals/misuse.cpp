#include "analyze/refusals/misuse.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>
#include <string>

#include "analyze/refusals/refusals.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

/// The parameters of a body that does not take the iteration's index, in words; empty if it takes it.
static std::string taken_instead(const clang::CXXMethodDecl& body) {
  const unsigned count = body.getNumParams();
  if (count == 0) return body.isVariadic() ? "" : "nothing";
  const bool is_generic = body.isTemplateInstantiation() || body.getDescribedFunctionTemplate() != nullptr;
  if (body.getMinRequiredArguments() > 1) return std::to_string(count) + " values";
  const clang::QualType type = body.getParamDecl(0)->getType();
  if (is_generic || type->isDependentType()) return "";
  const clang::QualType value = type.getNonReferenceType();
  const bool is_changed = type->isLValueReferenceType() && !value.isConstQualified();
  const bool is_number = value->isIntegerType() && !value->isEnumeralType();
  return is_number && !is_changed
             ? ""
             : "a `" + type_name(body.getASTContext(), value) + (is_changed ? "&`" : "`");
}

bool refuse_signature(const clang::CXXMethodDecl& body, clang::SourceLocation where, diagnostics& out) {
  const std::string instead = taken_instead(body);
  if (!instead.empty()) out.report(refusal::body_signature, where, {instead});
  return !instead.empty();
}

/// The loop operator of a failed overload resolution; null for other functions.
static const clang::UnresolvedLookupExpr* operator_of(const clang::RecoveryExpr& call) {
  if (call.subExpressions().empty()) return nullptr;
  const auto* named =
      llvm::dyn_cast<clang::UnresolvedLookupExpr>(call.subExpressions().front()->IgnoreParens());
  if (named == nullptr) return nullptr;
  const auto is_operator = [](const clang::NamedDecl* one) {
    return is_loop_operator(one->getUnderlyingDecl()->getAsFunction());
  };
  return std::any_of(named->decls_begin(), named->decls_end(), is_operator) ? named : nullptr;
}

/// The error in the number of iterations, in words; empty if there is none.
static std::string fault_of_count(const clang::ASTContext& ast,
                                  llvm::ArrayRef<const clang::Expr*> arguments) {
  if (arguments.empty()) return "the number of iterations is missing";
  const auto type_of = [&](std::size_t i) {
    return arguments[i]->IgnoreParenImpCasts()->getType().getNonReferenceType();
  };
  const bool labelled = arguments.size() > 1 && (type_of(0)->isArrayType() || type_of(0)->isPointerType());
  const clang::QualType type = type_of(labelled ? 1 : 0);
  if (is_container(type)) return "the number of iterations is a container, not its `size()`";
  if (closure_class(type) != nullptr) return "the number of iterations is missing";
  if (type->isIntegralOrEnumerationType()) return "";
  return "the number of iterations is of type " + type_name(ast, type) + ", which is no integer";
}

void explain_call(const clang::ASTContext& ast, const clang::RecoveryExpr& call, diagnostics& out) {
  const clang::UnresolvedLookupExpr* named = operator_of(call);
  if (named == nullptr) return;
  const llvm::ArrayRef<const clang::Expr*> arguments(call.subExpressions().drop_front());
  if (std::any_of(arguments.begin(), arguments.end(),
                  [](const clang::Expr* e) { return e->containsErrors(); }))
    return;
  const std::string fault = fault_of_count(ast, arguments);
  out.report(refusal::loop_arguments, call.getBeginLoc(),
             {named->getName().getAsString(), fault.empty() ? "it has no form with these arguments" : fault});
}

void explain_jumps(const clang::SourceManager& sources, const std::vector<stray_jump>& jumps,
                   const clang::LambdaExpr& body, diagnostics& out) {
  const clang::SourceRange text = body.getBody()->getSourceRange();
  for (const stray_jump& jump : jumps) {
    const bool inside = sources.isBeforeInTranslationUnit(text.getBegin(), jump.where) &&
                        sources.isBeforeInTranslationUnit(jump.where, text.getEnd());
    if (inside) out.report(refusal::stray_jump, jump.where, {jump.word});
  }
}

}  // namespace stradsap::pp

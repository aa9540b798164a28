#include "analyze/refusals/misuse.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>
#include <optional>
#include <string>

#include "analyze/refusals/refusals.hpp"
#include "analyze/source/api_names.hpp"
#include "analyze/source/excerpt.hpp"
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

static const char* const two_bounds = "iterations count from 0, so it takes one bound";

bool refuse_missing_model(const clang::CallExpr& call, diagnostics& out) {
  const clang::FunctionDecl& callee = *call.getDirectCallee();
  const auto is_model = [](const clang::ParmVarDecl* parameter) {
    const clang::CXXRecordDecl* type = parameter->getType().getNonReferenceType()->getAsCXXRecordDecl();
    return type != nullptr && type->getIdentifier() != nullptr && is_in_api(*type) &&
           type->getName() == api::model;
  };
  const llvm::ArrayRef<clang::ParmVarDecl*> parameters = callee.parameters();
  if (callee.getName() != api::parallel_for || std::any_of(parameters.begin(), parameters.end(), is_model))
    return false;
  out.report(refusal::missing_model, call.getBeginLoc(), {});
  return true;
}

bool refuse_two_bounds(const clang::CallExpr& call, diagnostics& out) {
  const clang::FunctionDecl& callee = *call.getDirectCallee();
  const bool is_number = callee.getParamDecl(0)->getType()->isPointerType() &&
                         call.getArg(0)->IgnoreParenImpCasts()->getType()->isIntegralOrEnumerationType();
  if (is_number)
    out.report(refusal::loop_arguments, call.getBeginLoc(), {callee.getNameAsString(), two_bounds});
  return is_number;
}

/// The function of a failed overload resolution, if `accepts` takes one of its overloads; else null.
template <class Predicate>
static const clang::UnresolvedLookupExpr* callee_of(const clang::RecoveryExpr& call,
                                                    const Predicate& accepts) {
  if (call.subExpressions().empty()) return nullptr;
  const auto* named =
      llvm::dyn_cast<clang::UnresolvedLookupExpr>(call.subExpressions().front()->IgnoreParens());
  if (named == nullptr) return nullptr;
  const auto is_accepted = [&](const clang::NamedDecl* one) {
    return accepts(one->getUnderlyingDecl()->getAsFunction());
  };
  return std::any_of(named->decls_begin(), named->decls_end(), is_accepted) ? named : nullptr;
}

/// Whether it is reads, writes or adds, of access(...).
static bool lists_containers(const clang::FunctionDecl* function) {
  if (function == nullptr || function->getIdentifier() == nullptr || !is_in_api(*function)) return false;
  const llvm::StringRef name = function->getName();
  return name == api::reads || name == api::writes || name == api::adds;
}

/// Reports the arguments of reads, writes and adds that are no containers.
static void explain_list(const clang::ASTContext& ast, const clang::RecoveryExpr& call, diagnostics& out) {
  for (const clang::Expr* listed : call.subExpressions().drop_front()) {
    if (listed->containsErrors() || is_container(listed->getType().getNonReferenceType())) continue;
    const std::optional<std::string> text = excerpt(ast, listed->getSourceRange());
    out.report(refusal::access_unknown, listed->getExprLoc(),
               {text ? *text : type_name(ast, listed->getType())});
  }
}

/// The error in the number of iterations, in words; empty if there is none. `counts`: the numbers that the
/// operator takes before the body.
static std::string fault_of_count(const clang::ASTContext& ast, unsigned counts,
                                  llvm::ArrayRef<const clang::Expr*> arguments) {
  if (arguments.empty()) return "the number of iterations is missing";
  const auto type_of = [&](std::size_t i) {
    return arguments[i]->IgnoreParenImpCasts()->getType().getNonReferenceType();
  };
  const bool labelled = arguments.size() > 1 && (type_of(0)->isArrayType() || type_of(0)->isPointerType());
  const clang::QualType type = type_of(labelled ? 1 : 0);
  if (is_container(type)) return "the number of iterations is a container, not its `size()`";
  if (closure_class(type) != nullptr) return "the number of iterations is missing";
  const std::size_t next = counts + (labelled ? 1 : 0);
  if (type->isIntegralOrEnumerationType())
    return next < arguments.size() && type_of(next)->isIntegralOrEnumerationType() ? two_bounds : "";
  return "the number of iterations is of type " + type_name(ast, type) + ", which is no integer";
}

void explain_call(const clang::ASTContext& ast, const clang::RecoveryExpr& call, diagnostics& out) {
  if (callee_of(call, &lists_containers) != nullptr) return explain_list(ast, call, out);
  const clang::UnresolvedLookupExpr* named = callee_of(call, &is_loop_operator);
  if (named == nullptr) return;
  const llvm::ArrayRef<const clang::Expr*> arguments(call.subExpressions().drop_front());
  if (std::any_of(arguments.begin(), arguments.end(),
                  [](const clang::Expr* e) { return e->containsErrors(); }))
    return;
  const std::string name = named->getName().getAsString();
  const std::string fault = fault_of_count(ast, name == api::sync_for ? 2 : 1, arguments);
  out.report(refusal::loop_arguments, call.getBeginLoc(),
             {name, fault.empty() ? "it has no form with these arguments" : fault});
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

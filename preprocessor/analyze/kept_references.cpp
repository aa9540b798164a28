#include "analyze/kept_references.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>

#include <algorithm>

#include "analyze/source.hpp"
#include "analyze/types.hpp"

namespace stradsap::pp {

static bool takes_lambda(const clang::Expr& call) {
  const std::vector<const clang::Expr*> arguments = arguments_of(call);
  return std::any_of(arguments.begin(), arguments.end(), [](const clang::Expr* argument) {
    return closure_class(argument->getType()) != nullptr;
  });
}

bool keeps_reference(const clang::Expr& made, const clang::Expr& given) {
  if (llvm::isa<clang::InitListExpr, clang::CXXParenListInitExpr, clang::DesignatedInitExpr>(made))
    return given.isGLValue();
  const clang::FunctionDecl* callee = callee_of(made);
  if (callee == nullptr || !is_in_std(*callee)) return false;
  const bool makes_object = !made.isGLValue() && made.getType()->getAsCXXRecordDecl() != nullptr;
  return takes_lambda(made) || (makes_object && may_refer(made.getType()));
}

static bool is_reference_field(const clang::Expr& e) {
  const auto* member = llvm::dyn_cast<clang::MemberExpr>(&e);
  const auto* field = member == nullptr ? nullptr : llvm::dyn_cast<clang::FieldDecl>(member->getMemberDecl());
  return field != nullptr && field->getType()->isReferenceType();
}

/// std::get<0>(t), r.get(), and a reference_wrapper that becomes a reference.
static bool gets_reference(const clang::Expr& e) {
  if (!e.isGLValue() || !llvm::isa<clang::CallExpr>(e)) return false;
  const clang::FunctionDecl* callee = callee_of(e);
  if (callee == nullptr || !is_in_std(*callee)) return false;
  if (llvm::isa<clang::CXXConversionDecl>(callee)) return true;
  return callee->getIdentifier() != nullptr && callee->getName() == "get";
}

/// Not a lambda that a variable holds: where that is handed on, its name is a caller.
static bool hands_on(const region& code, const clang::Expr& caller) {
  const clang::Expr* at = &caller;
  while (const auto* outer = llvm::dyn_cast_or_null<clang::Expr>(code.parent(at).statement)) {
    if (!llvm::isa<clang::FullExpr, clang::MaterializeTemporaryExpr, clang::ImplicitCastExpr>(outer)) break;
    at = outer;
  }
  return !llvm::isa<clang::CallExpr>(caller) && code.parent(at).variable == nullptr;
}

/// A lambda or function that is handed on, whose parameters are whatever its caller has.
static bool is_handed_on(const region& code, const clang::FunctionDecl& function) {
  if (&function == &code.body()) return false;
  const std::vector<const clang::Expr*>& callers = code.callers(&function);
  return code.hidden().count(&function) != 0 ||
         std::any_of(callers.begin(), callers.end(),
                     [&](const clang::Expr* caller) { return hands_on(code, *caller); });
}

static bool is_kept_reference(const region& code, const clang::Expr& e) {
  if (is_reference_field(e) || gets_reference(e)) return true;
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&e);
  if (name == nullptr) return false;
  if (const auto* part = llvm::dyn_cast<clang::BindingDecl>(name->getDecl()))
    return part->getHoldingVar() != nullptr ||
           (part->getBinding() != nullptr && is_reference_field(*part->getBinding()->IgnoreParenImpCasts()));
  const auto* parameter = llvm::dyn_cast<clang::ParmVarDecl>(name->getDecl());
  const auto* function =
      parameter == nullptr ? nullptr : llvm::dyn_cast<clang::FunctionDecl>(parameter->getDeclContext());
  return function != nullptr && parameter->getType()->isReferenceType() && is_handed_on(code, *function);
}

std::vector<const clang::Expr*> kept_references_to(const region& code, clang::QualType type) {
  std::vector<const clang::Expr*> found;
  for (const clang::Stmt* node : code.nodes()) {
    const auto* e = llvm::dyn_cast<clang::Expr>(node);
    const bool same = e != nullptr && code.ast().hasSameUnqualifiedType(e->getType(), type);
    if (same && is_kept_reference(code, *e)) found.push_back(e);
  }
  return found;
}

std::vector<const clang::VarDecl*> holders_of_references(const region& code) {
  std::vector<const clang::VarDecl*> found;
  for (const clang::VarDecl* variable : code.variables()) {
    const clang::QualType type = variable->getType();
    if (type->getAsCXXRecordDecl() != nullptr && may_refer(type)) found.push_back(variable);
  }
  return found;
}

}  // namespace stradsap::pp

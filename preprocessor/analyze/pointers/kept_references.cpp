#include "analyze/pointers/kept_references.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>

#include <algorithm>

#include "analyze/code/types.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

static bool has_call_operator(const clang::CXXRecordDecl& record) {
  if (!record.hasDefinition()) return false;
  const clang::ASTContext& ast = record.getASTContext();
  if (!record.lookup(ast.DeclarationNames.getCXXOperatorName(clang::OO_Call)).empty()) return true;
  const clang::CXXRecordDecl& defined = *record.getDefinition();
  return std::any_of(defined.bases_begin(), defined.bases_end(), [](const clang::CXXBaseSpecifier& base) {
    const clang::CXXRecordDecl* inherited = base.getType()->getAsCXXRecordDecl();
    return inherited != nullptr && has_call_operator(*inherited);
  });
}

/// Whether an object is a user function or may hold one; std::less, for example, is not.
static bool is_callable(const clang::Expr& e) {
  const clang::QualType type = e.getType().getNonReferenceType();
  if (type->isFunctionType() || type->isFunctionPointerType() || type->isMemberFunctionPointerType())
    return true;
  const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
  if (record == nullptr || !has_call_operator(*record)) return false;
  const clang::CXXRecordDecl& defined = *record->getDefinition();
  return !is_in_std(defined) || !defined.isEmpty() || !defined.field_empty();
}

static std::vector<const clang::Expr*> callables_in(const clang::Expr& call) {
  std::vector<const clang::Expr*> all = arguments_of(call);
  if (const clang::Expr* object = object_of(call)) all.push_back(object);  // std::function
  all.erase(std::remove_if(all.begin(), all.end(), [](const clang::Expr* e) { return !is_callable(*e); }),
            all.end());
  return all;
}

bool takes_callable(const clang::Expr& call) { return !callables_in(call).empty(); }

bool keeps_reference(const clang::Expr& made, const clang::Expr& given) {
  if (llvm::isa<clang::InitListExpr, clang::CXXParenListInitExpr, clang::DesignatedInitExpr>(made))
    return given.isGLValue();
  const clang::FunctionDecl* callee = callee_of(made);
  if (callee == nullptr || !is_in_std(*callee)) return false;
  const bool makes_object = !made.isGLValue() && made.getType()->getAsCXXRecordDecl() != nullptr;
  return takes_callable(made) || (makes_object && may_refer(made.getType()));
}

static bool is_reference_field(const clang::Expr& e) {
  const auto* member = llvm::dyn_cast<clang::MemberExpr>(&e);
  const auto* field = member == nullptr ? nullptr : llvm::dyn_cast<clang::FieldDecl>(member->getMemberDecl());
  return field != nullptr && field->getType()->isReferenceType();
}

/// Whether a call returns a kept reference: std::get<0>(t), r.get(), or the conversion of a
/// reference_wrapper.
static bool gets_reference(const clang::Expr& e) {
  if (!e.isGLValue() || !llvm::isa<clang::CallExpr>(e)) return false;
  const clang::FunctionDecl* callee = callee_of(e);
  if (callee == nullptr || !is_in_std(*callee)) return false;
  if (llvm::isa<clang::CXXConversionDecl>(callee)) return true;
  return callee->getIdentifier() != nullptr && callee->getName() == "get";
}

/// Whether the expression passes a lambda on. A lambda in a variable does not count: its name is a caller of
/// its own.
static bool hands_on(const region& code, const clang::Expr& caller) {
  const clang::Expr* at = &caller;
  while (const auto* outer = llvm::dyn_cast_or_null<clang::Expr>(code.parent(at).statement)) {
    if (!llvm::isa<clang::FullExpr, clang::MaterializeTemporaryExpr, clang::ImplicitCastExpr>(outer)) break;
    at = outer;
  }
  return !llvm::isa<clang::CallExpr>(caller) && code.parent(at).variable == nullptr;
}

/// Whether a lambda or function is passed on, so that its caller determines its parameters.
static bool is_handed_on(const region& code, const clang::FunctionDecl& function) {
  if (&function == &code.body()) return false;
  const std::vector<const clang::Expr*>& callers = code.callers(&function);
  return code.hidden().count(&function) != 0 ||
         std::any_of(callers.begin(), callers.end(),
                     [&](const clang::Expr* caller) { return hands_on(code, *caller); });
}

bool is_given_parameter(const region& code, const clang::Expr& e) {
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&e);
  const auto* parameter = name == nullptr ? nullptr : llvm::dyn_cast<clang::ParmVarDecl>(name->getDecl());
  const auto* function =
      parameter == nullptr ? nullptr : llvm::dyn_cast<clang::FunctionDecl>(parameter->getDeclContext());
  return function != nullptr && is_handed_on(code, *function);
}

static bool is_kept_reference(const region& code, const clang::Expr& e) {
  if (is_reference_field(e) || gets_reference(e)) return true;
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&e);
  if (name == nullptr) return false;
  if (const auto* part = llvm::dyn_cast<clang::BindingDecl>(name->getDecl()))
    return part->getHoldingVar() != nullptr ||
           (part->getBinding() != nullptr && is_reference_field(*part->getBinding()->IgnoreParenImpCasts()));
  return name->getDecl()->getType()->isReferenceType() && is_given_parameter(code, e);
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

/// The user's class of a callable; null for functions and for types that hold them.
static const clang::CXXRecordDecl* users_class(const clang::Expr& callable) {
  const clang::CXXRecordDecl* record = callable.getType().getNonReferenceType()->getAsCXXRecordDecl();
  return record != nullptr && is_users(*record) ? record : nullptr;
}

static bool is_run_by(const region& code, const clang::FunctionDecl& function, const clang::Expr& callable) {
  const clang::CXXRecordDecl* record = users_class(callable);
  if (record == nullptr) return is_handed_on(code, function);
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
  if (method == nullptr || method->getOverloadedOperator() != clang::OO_Call) return false;
  const clang::CXXRecordDecl* owner = method->getParent()->getCanonicalDecl();
  return owner == record->getCanonicalDecl() || (method->isVirtual() && owner->isDerivedFrom(record)) ||
         record->isDerivedFrom(owner);
}

std::vector<const clang::ParmVarDecl*> references_given_by(const region& code, const clang::Expr& call) {
  const std::vector<const clang::Expr*> callables = callables_in(call);
  std::vector<const clang::ParmVarDecl*> found;
  for (const clang::FunctionDecl* function : code.functions()) {
    const bool runs = std::any_of(callables.begin(), callables.end(), [&](const clang::Expr* callable) {
      return is_run_by(code, *function, *callable);
    });
    if (!runs) continue;
    for (const clang::ParmVarDecl* parameter : function->parameters()) {
      const clang::QualType type = parameter->getType();
      if (type->isReferenceType() && !type.getNonReferenceType()->isIncompleteType())
        found.push_back(parameter);
    }
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

#include "analyze/dependences/reached_objects.hpp"

#include <algorithm>

#include "analyze/code/fields.hpp"
#include "analyze/code/types.hpp"

namespace stradsap::pp {

static bool names_this(const clang::Stmt* node) {
  if (node == nullptr) return false;
  if (llvm::isa<clang::CXXThisExpr>(node)) return true;
  for (const clang::Stmt* child : node->children()) {
    if (names_this(child)) return true;
  }
  return false;
}

/// Whether a function of a library, such as std::make_shared<T> or emplace<T>, may make an object of the
/// class.
static bool makes(const clang::CallExpr& call, const clang::CXXRecordDecl& wanted) {
  const clang::FunctionDecl* callee = call.getDirectCallee();
  const clang::TemplateArgumentList* given =
      callee == nullptr ? nullptr : callee->getTemplateSpecializationArgs();
  return given != nullptr &&
         std::any_of(given->asArray().begin(), given->asArray().end(), [&](const auto& one) {
           return one.getKind() == clang::TemplateArgument::Type && may_hold(one.getAsType(), wanted);
         });
}

origins reached_objects::of(const clang::Expr& operand) {
  origins found = without_functions(depends_.storage(operand));
  if (!follows_this_ && names_this(&operand))
    found.merge(objects_of(method_around(code_.function_of(&operand))));
  for (const clang::ValueDecl* variable : origins(found)) {
    const auto* local = llvm::dyn_cast_or_null<clang::VarDecl>(variable);
    if (local != nullptr && is_given_by_others(*local)) found.merge(others_of(*local));
  }
  return found;
}

/// The objects of member functions in place of these.
origins reached_objects::without_functions(origins found) {
  if (!follows_this_) return found;
  for (const clang::ValueDecl* one : origins(found)) {
    const auto* function = llvm::dyn_cast_or_null<clang::FunctionDecl>(one);
    if (function == nullptr) continue;
    found.erase(one);
    found.merge(objects_of(method_around(function)));
  }
  return found;
}

/// The function with the `this` that code of a function names: of a lambda, the member function around it.
const clang::FunctionDecl* reached_objects::method_around(const clang::FunctionDecl* function) const {
  const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(function);
  while (method != nullptr && method->getParent()->isLambda()) {
    function = llvm::dyn_cast<clang::FunctionDecl>(method->getParent()->getDeclContext());
    method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(function);
  }
  return function;
}

/// The objects that `this` of a member function may denote: those of its calls. Code without a call in the
/// text, such as a destructor, may get any object of the class.
origins reached_objects::objects_of(const clang::FunctionDecl* function) {
  const bool is_outer = function == nullptr || function == &code_.body() || !code_.contains(function);
  if (follows_this_ && is_outer) return {nullptr};
  if (function == nullptr || !open_.insert(function).second) return {};
  origins found;
  for (const clang::Expr* call : code_.callers(function)) {
    const clang::Expr* object = object_of(*call);
    if (object != nullptr || llvm::isa<clang::CXXConstructExpr>(call))
      found.merge(of(object != nullptr ? *object : *call));
  }
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(function);
  if (method != nullptr && code_.hidden().count(function) != 0) found.merge(all_of(*method->getParent()));
  return found;
}

bool reached_objects::is_given_by_others(const clang::VarDecl& variable) const {
  return variable.isExceptionVariable() || depends_.gets_unknown(variable);
}

origins reached_objects::others_of(const clang::VarDecl& variable) {
  if (!may_refer(variable.getType())) return {};
  clang::QualType type = variable.getType().getNonReferenceType();
  if (type->isPointerType()) type = type->getPointeeType();
  const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
  return record == nullptr || record->getDefinition() == nullptr ? origins{nullptr} : all_of(*record);
}

/// All that objects of a class may refer to: the contents of objects in the region that may contain one.
origins reached_objects::all_of(const clang::CXXRecordDecl& record) {
  const clang::CXXRecordDecl& wanted = *record.getDefinition()->getCanonicalDecl();
  if (!all_open_.insert(&wanted).second) return {};
  origins found;
  for (const clang::Stmt* node : code_.nodes()) {
    const auto* e = llvm::dyn_cast<clang::Expr>(node);
    if (e == nullptr) continue;
    if (may_hold(e->getType(), wanted)) found.merge(of(*e));
    const auto* call = llvm::dyn_cast<clang::CallExpr>(e);
    if (call == nullptr || !makes(*call, wanted)) continue;
    for (const clang::Expr* argument : call->arguments()) found.merge(of(*argument));
  }
  return found;
}

}  // namespace stradsap::pp

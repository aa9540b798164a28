#include "analyze/refusals/run_functions.hpp"

#include <clang/AST/DeclTemplate.h>

#include "analyze/captures/captured_lambdas.hpp"
#include "analyze/code/region.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

std::vector<const clang::FunctionDecl*> run_by(clang::QualType type) {
  std::vector<const clang::FunctionDecl*> found;
  const clang::CXXRecordDecl* record = type.getNonReferenceType()->getAsCXXRecordDecl();
  if (record == nullptr || !record->hasDefinition() || !is_users(*record)) return found;
  for (const clang::CXXBaseSpecifier& base : record->bases()) {  // several lambdas as one visitor
    const std::vector<const clang::FunctionDecl*> inherited = run_by(base.getType());
    found.insert(found.end(), inherited.begin(), inherited.end());
  }
  for (const clang::Decl* member : record->decls()) {
    const auto* pattern = llvm::dyn_cast<clang::FunctionTemplateDecl>(member);
    const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(
        pattern != nullptr ? pattern->getTemplatedDecl() : member);
    if (method == nullptr || method->getOverloadedOperator() != clang::OO_Call) continue;
    if (pattern == nullptr) {
      if (method->getBody() != nullptr) found.push_back(method);
      continue;
    }
    for (const clang::FunctionDecl* instance : pattern->specializations()) {
      if (instance->getBody() != nullptr) found.push_back(instance);
    }
  }
  return found;
}

/// Adds the lambda, or the function, that an initialiser is made from.
static void add_functions_in(const clang::Stmt& init, std::vector<const clang::FunctionDecl*>& found) {
  if (const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(&init)) {
    const auto all = call_operators_of(*lambda);
    found.insert(found.end(), all.begin(), all.end());
    return;
  }
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&init);
  const auto* function = name == nullptr ? nullptr : llvm::dyn_cast<clang::FunctionDecl>(name->getDecl());
  if (const clang::FunctionDecl* definition = visible_definition(function)) found.push_back(definition);
  for (const clang::Stmt* child : init.children()) {
    if (child != nullptr) add_functions_in(*child, found);
  }
}

/// The initialiser of a variable, or of a member in its class.
static const clang::Expr* initialiser_of(const clang::ValueDecl& declared) {
  if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(&declared)) return variable->getInit();
  const auto* field = llvm::dyn_cast<clang::FieldDecl>(&declared);
  return field == nullptr ? nullptr : field->getInClassInitializer();
}

std::vector<const clang::FunctionDecl*> functions_behind(const clang::CallExpr& call,
                                                         const path_reader& paths) {
  std::vector<const clang::FunctionDecl*> found;
  for (const clang::CXXMethodDecl* one : overrides_run_by(call)) {
    if (const clang::FunctionDecl* definition = visible_definition(one)) found.push_back(definition);
  }
  const auto* op = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&call);
  const bool calls_object = op != nullptr && op->getOperator() == clang::OO_Call;
  const clang::Expr& called = calls_object ? *op->getArg(0) : *call.getCallee();
  const clang::ValueDecl* callable = declaration_named_by(called);
  const clang::FunctionDecl* direct = call.getDirectCallee();
  const bool is_of_program = calls_object && (direct == nullptr || !is_in_std(*direct));
  if (callable == nullptr || is_of_program) return found;
  if (const clang::Expr* init = initialiser_of(*callable)) add_functions_in(*init, found);
  for (const clang::Expr* value : paths.functions_assigned_to(*callable)) add_functions_in(*value, found);
  return found;
}

}  // namespace stradsap::pp

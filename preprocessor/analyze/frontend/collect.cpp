#include "analyze/frontend/collect.hpp"

#include <clang/AST/RecursiveASTVisitor.h>

#include <optional>
#include <utility>

#include "analyze/code/types.hpp"
#include "analyze/refusals/refusals.hpp"
#include "analyze/refusals/running_numbers.hpp"
#include "analyze/refusals/unregistered.hpp"
#include "analyze/source/api_names.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

namespace {

class collector : public clang::RecursiveASTVisitor<collector> {
 public:
  collected collect(const clang::ASTContext& ast) && {
    // without those of a precompiled header, which has none of the user's
    for (clang::Decl* declaration : ast.getTranslationUnitDecl()->noload_decls()) {
      if (is_users(ast, declaration->getLocation())) TraverseDecl(declaration);
    }
    return std::move(found_);
  }

  // ---- Clang's spelling ----
  bool shouldVisitTemplateInstantiations() const { return true; }
  bool VisitCallExpr(clang::CallExpr* call) {
    if (is_loop_operator(call->getDirectCallee())) found_.calls.push_back(call);
    if (passes_by_ellipsis(*call)) found_.variadic_calls.push_back(call);
    const clang::FunctionDecl* callee = call->getDirectCallee();
    if (callee != nullptr && callee->isTemplateInstantiation() && is_users(*callee))
      found_.template_calls.push_back(call);
    if (is_registration(call->getDirectCallee())) found_.registrations.push_back(call);
    note(option_function_of(*call));
    return true;
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* made) {
    note(option_function_of(*made));
    return true;
  }
  bool VisitRecoveryExpr(clang::RecoveryExpr* broken) {
    found_.broken_calls.push_back(broken);
    return true;
  }
  bool VisitLambdaExpr(clang::LambdaExpr* lambda) {
    found_.lambdas.emplace(lambda->getLambdaClass(), lambda);
    // no visited declaration contains the instances of a generic lambda
    const clang::FunctionTemplateDecl* generic = lambda->getDependentCallOperator();
    if (generic == nullptr) return true;
    for (const clang::FunctionDecl* instance : generic->specializations()) TraverseStmt(instance->getBody());
    return true;
  }
  bool VisitInitListExpr(clang::InitListExpr* list) {
    // the form as written, which is visited, has no conversions
    const clang::InitListExpr* converted = list->isSemanticForm() ? list : list->getSemanticForm();
    if (converted == nullptr) return true;
    for (const clang::Expr* init : converted->inits()) {
      if (init == nullptr) continue;  // of a member that no initialiser names, in a list with designators
      const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(init->IgnoreImplicit());
      if (made != nullptr) note(option_function_of(*made));
    }
    return true;
  }
  bool VisitDeclaratorDecl(clang::DeclaratorDecl* declaration) {
    const bool data = llvm::isa<clang::VarDecl, clang::FieldDecl>(declaration);
    if (data && is_container(declaration->getType())) found_.containers.push_back(declaration);
    return true;
  }
  bool VisitFunctionDecl(clang::FunctionDecl* function) {
    if (!function->isThisDeclarationADefinition()) return true;
    if (function->isMain()) found_.mains.push_back(function);
    if (function->hasBody() && !function->isDependentContext()) found_.functions.push_back(function);
    return true;
  }

 private:
  void note(std::optional<option_function> found) {
    if (found) found_.option_functions.push_back(*found);
  }

  collected found_;
};

}  // namespace

collected collect(const clang::ASTContext& ast) { return collector().collect(ast); }

}  // namespace stradsap::pp

#include "analyze/captures/captured_lambdas.hpp"

#include <clang/AST/DeclTemplate.h>

#include <algorithm>

#include "analyze/source/source.hpp"

namespace stradsap::pp {

std::vector<const clang::CXXMethodDecl*> call_operators_of(const clang::LambdaExpr& lambda) {
  const clang::FunctionTemplateDecl* generic = lambda.getDependentCallOperator();
  if (generic == nullptr) return {lambda.getCallOperator()};
  std::vector<const clang::CXXMethodDecl*> found;
  for (const clang::FunctionDecl* instance : generic->specializations()) {
    if (instance->getBody() != nullptr) found.push_back(llvm::cast<clang::CXXMethodDecl>(instance));
  }
  return found;
}

const clang::LambdaExpr* remade_lambda(const lambda_table& lambdas, clang::QualType type) {
  const clang::CXXRecordDecl* closure = closure_class(type);
  if (closure == nullptr || closure->captures().empty()) return nullptr;
  const auto at = lambdas.find(closure);
  if (at == lambdas.end()) return nullptr;
  const clang::CXXMethodDecl* body = at->second->getCallOperator();
  return body->isConst() || body->isStatic() ? at->second : nullptr;
}

std::vector<outer_variable> with_held_variables(const clang::ASTContext& ast, const lambda_table& lambdas,
                                                std::vector<outer_variable> variables, diagnostics& out) {
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const clang::LambdaExpr* lambda = remade_lambda(lambdas, variables[i].type());
    const bool known = std::any_of(variables.begin(), variables.end(),
                                   [&](const outer_variable& v) { return v.holder == lambda; });
    if (lambda == nullptr || known) continue;
    for (outer_variable& held : outer_variables(ast, *lambda, out)) {
      held.holder = lambda;
      variables.push_back(std::move(held));
    }
  }
  return variables;
}

std::vector<const clang::LambdaExpr*> holders_among(const lambda_table& lambdas,
                                                    const std::vector<outer_variable>& variables) {
  std::vector<const clang::LambdaExpr*> holders;
  for (const outer_variable& variable : variables) {
    const clang::LambdaExpr* lambda = remade_lambda(lambdas, variable.type());
    const bool known = std::find(holders.begin(), holders.end(), lambda) != holders.end();
    if (lambda != nullptr && !known) holders.push_back(lambda);
  }
  return holders;
}

}  // namespace stradsap::pp

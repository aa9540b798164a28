#include "analyze/frontend/explain_errors.hpp"

#include "analyze/code/types.hpp"
#include "analyze/frontend/collect.hpp"
#include "analyze/source/diagnostics.hpp"
#include "analyze/source/fix_its.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

void explain_errors(const clang::ASTContext& ast, const std::vector<stray_jump>& jumps,
                    translation_unit& unit) {
  const collected found = collect(ast);
  diagnostics out(ast);
  for (const auto& [closure, lambda] : found.lambdas) {
    for (const clang::LambdaCapture& capture : lambda->captures()) {
      if (!capture.capturesVariable() || capture.getCaptureKind() != clang::LCK_ByCopy) continue;
      const clang::ValueDecl& variable = *capture.getCapturedVar();
      if (lambda->isInitCapture(&capture) || !is_container(variable.getType())) continue;
      out.report(refusal::captured_container_copy,
                 capture.isImplicit() ? lambda->getCaptureDefaultLoc() : capture.getLocation(),
                 {variable.getNameAsString()}, {}, captured_by_reference(ast, lambda, variable));
    }
  }
  for (const clang::RecoveryExpr* call : found.broken_calls) explain_call(ast, *call, out);
  for (const option_function& one : found.option_functions) (void)refuse_changeable(one, out);
  for (const clang::CallExpr* call : found.calls) {
    (void)(refuse_missing_model(*call, out) || refuse_two_bounds(*call, out));
    for (const clang::Expr* argument : call->arguments()) {
      const auto body = found.lambdas.find(closure_class(argument->getType()));
      if (body != found.lambdas.end()) explain_jumps(ast.getSourceManager(), jumps, *body->second, out);
    }
  }
  unit.diagnostics = out.sorted();
}

}  // namespace stradsap::pp

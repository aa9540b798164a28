#include "analyze/frontend/loop_names.hpp"

#include <iterator>

#include "analyze/frontend/loop_options.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

/// The function around a lambda; lambdas count as part of their functions.
static std::string function_around(const clang::LambdaExpr& lambda) {
  const clang::DeclContext* scope = lambda.getLambdaClass()->getDeclContext();
  for (; scope != nullptr; scope = scope->getParent()) {
    const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(scope);
    if (method != nullptr && method->getParent()->isLambda()) continue;
    if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(scope))
      return function->getQualifiedNameAsString();
  }
  return {};
}

loop_names::loop_names(const clang::ASTContext& ast, const lambda_table& lambdas, const editable_text& text)
    : ast_(ast) {
  for (const auto& [closure, lambda] : lambdas) {
    const std::optional<text_range> at = text.range_of(lambda->getSourceRange());
    if (at) lambdas_of_[{at->begin.file, function_around(*lambda)}].insert(at->begin);
  }
}

/// Whether the call passes the lambda itself, or a variable of the same function.
static bool is_of_closest_function(const clang::CallExpr& call, const clang::LambdaExpr& lambda) {
  const clang::Expr* argument = body_argument(call)->IgnoreUnlessSpelledInSource();
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(argument);
  if (name == nullptr) return true;
  return name->getDecl()->getDeclContext() == lambda.getLambdaClass()->getDeclContext();
}

void loop_names::name(loop_site& site, const clang::CallExpr& call, const clang::LambdaExpr& lambda) const {
  site.function = function_around(lambda);
  const auto& offsets = lambdas_of_.at({site.begin.file, site.function});
  site.ordinal = static_cast<unsigned>(std::distance(offsets.begin(), offsets.find(site.begin)));
  // If a function wraps the loop operator, many loops share its call. Their lambdas' positions then name
  // them.
  const clang::SourceRange around = call.getSourceRange();
  const auto from = position_of(ast_, around.getBegin());
  const bool close = from && from->file == site.begin.file && is_of_closest_function(call, lambda);
  site.place = place_of_loop(close ? call.getBeginLoc() : lambda.getBeginLoc());
}

std::string loop_names::place_of_loop(clang::SourceLocation where) const {
  const source_place place = place_of(ast_, where);
  return place.file + ":" + std::to_string(place.line);
}

}  // namespace stradsap::pp

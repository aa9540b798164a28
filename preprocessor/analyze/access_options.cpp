#include "analyze/access_options.hpp"

#include <clang/AST/ExprCXX.h>

#include <optional>

#include "analyze/api_names.hpp"
#include "analyze/source.hpp"

namespace stradsap::pp {

static const clang::CallExpr* api_call(const clang::Expr& e) {
  const auto* call = llvm::dyn_cast<clang::CallExpr>(e.IgnoreUnlessSpelledInSource());
  const clang::FunctionDecl* callee = call == nullptr ? nullptr : call->getDirectCallee();
  const bool ours = callee != nullptr && callee->getIdentifier() != nullptr && is_in_api(*callee);
  return ours ? call : nullptr;
}

static std::optional<stated_access> statement_of(llvm::StringRef name) {
  const unsigned all = api::mode_read | api::mode_write | api::mode_accumulates;
  if (name == api::reads) return stated_access{api::mode_read, all, {}};
  if (name == api::writes) return stated_access{api::mode_read | api::mode_write, all, {}};
  if (name == api::adds) return stated_access{all, all, {}};
  return std::nullopt;
}

static const clang::ValueDecl* named(const clang::Expr& e) {
  const clang::Expr* name = e.IgnoreParenImpCasts();
  if (const auto* variable = llvm::dyn_cast<clang::DeclRefExpr>(name)) return variable->getDecl();
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(name)) return member->getMemberDecl();
  return nullptr;
}

access_statements access_statements_of(const clang::CallExpr& loop) {
  access_statements found;
  for (const clang::Expr* argument : loop.arguments()) {
    const clang::CallExpr* option = api_call(*argument);
    if (option == nullptr || option->getDirectCallee()->getName() != api::access) continue;
    for (const clang::Expr* listed : option->arguments()) {
      const clang::CallExpr* list = api_call(*listed);
      if (list == nullptr) continue;
      auto stated = statement_of(list->getDirectCallee()->getName());
      for (const clang::Expr* container : list->arguments()) {
        if (!stated || named(*container) == nullptr) continue;
        stated->where = container->getExprLoc();
        found[named(*container)] = *stated;
      }
    }
  }
  return found;
}

}  // namespace stradsap::pp

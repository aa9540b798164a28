#include "analyze/refusals/shared_text.hpp"

#include <clang/AST/DeclTemplate.h>

#include <algorithm>

#include "analyze/source/excerpt.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

/// Whether a node below calls a function of another object than a container, by the call that ends there.
static bool calls_another(const clang::Stmt& node, clang::SourceLocation end) {
  const auto* call = llvm::dyn_cast<clang::CXXMemberCallExpr>(&node);
  if (call != nullptr && call->getRParenLoc() == end)
    return !is_container(call->getImplicitObjectArgument()->getType());
  return std::any_of(node.child_begin(), node.child_end(), [end](const clang::Stmt* child) {
    return child != nullptr && calls_another(*child, end);
  });
}

/// Whether an instance of the function's template has an object that is no container at the call.
static bool is_shared(const clang::FunctionDecl& function, clang::SourceLocation end) {
  for (const clang::DeclContext* at = &function; at != nullptr; at = at->getParent()) {
    const auto* instance = llvm::dyn_cast<clang::FunctionDecl>(at);
    const clang::FunctionTemplateDecl* all = instance == nullptr ? nullptr : instance->getPrimaryTemplate();
    if (all == nullptr) continue;
    for (const clang::FunctionDecl* other : all->specializations()) {
      if (other->getBody() != nullptr && calls_another(*other->getBody(), end)) return true;
    }
  }
  return false;
}

void refuse_shared_text(const region& code, const std::vector<access>& accesses, diagnostics& out) {
  for (const access& one : accesses) {
    const auto* call = llvm::dyn_cast<clang::CXXMemberCallExpr>(one.call);
    const clang::FunctionDecl* function = code.function_of(one.call);
    if (call == nullptr || !one.reach || !arguments_of(*call).empty() || function == nullptr) continue;
    if (!is_shared(*function, call->getRParenLoc())) continue;
    const clang::Expr& object = *call->getImplicitObjectArgument();
    const std::string name = excerpt(code.ast(), object.getSourceRange()).value_or("X");
    const std::string method = call->getMethodDecl()->getNameAsString();
    const std::string instead =
        method == "end" ? "&" + name + "[0] + " + name + ".size()" : "&" + name + "[0]";
    out.report(refusal::container_method, call->getExprLoc(),
               {method, container_name(object.getType()).str(),
                "other calls of this template have no distributed container here; write `" + instead +
                    "`, which means the same for both"});
  }
}

}  // namespace stradsap::pp

#include "analyze/code/element_methods.hpp"

#include <algorithm>

namespace stradsap::pp {

static bool captures_copy(const clang::LambdaExpr& lambda) {
  return std::any_of(lambda.capture_begin(), lambda.capture_end(), [](const clang::LambdaCapture& capture) {
    return capture.getCaptureKind() == clang::LCK_StarThis;
  });
}

/// Null where `this` is a copy of the object that a lambda holds.
static const clang::FunctionDecl* method_around(const region& code, const clang::CXXThisExpr& self) {
  for (const clang::Stmt* at = &self; at != nullptr;) {
    const clang::FunctionDecl* function = code.function_of(at);
    const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(function);
    if (method == nullptr || !method->getParent()->isLambda()) return function;
    const clang::LambdaExpr* made = nullptr;
    for (const clang::Expr* caller : code.callers(function)) {
      if (made == nullptr) made = llvm::dyn_cast<clang::LambdaExpr>(caller);
    }
    if (made == nullptr || captures_copy(*made)) return nullptr;
    at = made;
  }
  return nullptr;
}

element_methods::element_methods(const region& code) : code_(code) {
  for (const clang::CXXThisExpr* self : code.this_uses()) {
    if (const clang::FunctionDecl* method = method_around(code, *self)) this_in_[method].push_back(self);
  }
}

const std::vector<const clang::CXXThisExpr*>& element_methods::this_in(
    const clang::FunctionDecl& method) const {
  static const std::vector<const clang::CXXThisExpr*> none;
  const auto at = this_in_.find(&method);
  return at == this_in_.end() ? none : at->second;
}

std::vector<const clang::FunctionDecl*> element_methods::run_by(const clang::Expr& call) const {
  std::vector<const clang::FunctionDecl*> found;
  if (const clang::FunctionDecl* callee = callee_of(call)) {
    if (const clang::FunctionDecl* definition = code_.in_sight(callee)) found.push_back(definition);
    return found;
  }
  for (const clang::FunctionDecl* function : code_.functions()) {
    const std::vector<const clang::Expr*>& callers = code_.callers(function);
    if (std::find(callers.begin(), callers.end(), &call) != callers.end()) found.push_back(function);
  }
  return found;
}

static bool are_related(const clang::CXXRecordDecl& a, const clang::CXXRecordDecl& b) {
  return a.getCanonicalDecl() == b.getCanonicalDecl() || a.isDerivedFrom(&b) || b.isDerivedFrom(&a);
}

std::vector<const clang::FunctionDecl*> element_methods::pointed_to(const clang::CXXRecordDecl* of) const {
  std::vector<const clang::FunctionDecl*> found;
  for (const clang::FunctionDecl* function : code_.hidden()) {
    const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(function);
    const bool has_object = method != nullptr && !method->isStatic() && code_.contains(method) &&
                            !llvm::isa<clang::CXXConstructorDecl, clang::CXXDestructorDecl>(method);
    if (has_object && of != nullptr && are_related(*method->getParent(), *of)) found.push_back(method);
  }
  return found;
}

}  // namespace stradsap::pp

#include "analyze/code/returned_places.hpp"

#include <clang/AST/StmtCXX.h>

#include <set>

#include "analyze/code/types.hpp"

namespace stradsap::pp {

/// Whether an expression is a place, an address or a span that its part leads to, and reads no element.
static bool passes_place(const clang::Expr& whole, const clang::Expr& part) {
  if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(&whole)) {
    return cast->getCastKind() == clang::CK_NoOp || cast->getCastKind() == clang::CK_ConstructorConversion;
  }
  if (const auto* op = llvm::dyn_cast<clang::UnaryOperator>(&whole))
    return op->getOpcode() == clang::UO_AddrOf;
  if (const auto* op = llvm::dyn_cast<clang::BinaryOperator>(&whole))
    return op->isAdditiveOp() && op->getType()->isPointerType() && op->getLHS() == &part;
  if (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(&whole)) return is_view(made->getType());
  return llvm::isa<clang::ParenExpr, clang::FullExpr, clang::MaterializeTemporaryExpr>(whole);
}

/// Whether the function around a place does nothing with it but return it, to callers.
static bool is_only_returned(const region& code, const clang::Expr& place) {
  const clang::FunctionDecl* function = code.function_of(&place);
  if (function == nullptr || function == &code.body()) return false;
  const clang::Expr* at = &place;
  const clang::Stmt* above = code.above(at);
  while (const auto* whole = llvm::dyn_cast_or_null<clang::Expr>(above)) {
    if (!passes_place(*whole, *at)) return false;
    at = whole;
    above = code.above(at);
  }
  return llvm::isa_and_nonnull<clang::ReturnStmt>(above);
}

/// Whether a lambda initialises a variable: then other expressions name the variable, to call it or to pass
/// it on.
static bool has_name(const region& code, const clang::Expr& lambda) {
  const clang::Stmt* at = &lambda;
  while (code.parent(at).variable == nullptr &&
         llvm::isa_and_nonnull<clang::FullExpr, clang::MaterializeTemporaryExpr, clang::CastExpr>(
             code.parent(at).statement)) {
    at = code.parent(at).statement;
  }
  return code.parent(at).variable != nullptr;
}

std::vector<const clang::Expr*> users_of_place(const region& code, const clang::Expr& place) {
  std::vector<const clang::Expr*> users;
  std::vector<const clang::Expr*> open{&place};
  std::set<const clang::FunctionDecl*> passed;
  while (!open.empty()) {
    const clang::Expr* at = open.back();
    open.pop_back();
    if (at == nullptr || !is_only_returned(code, *at)) {
      users.push_back(at);
      continue;
    }
    const clang::FunctionDecl* function = code.function_of(at);
    if (!passed.insert(function).second) continue;
    if (code.hidden().count(function) != 0) users.push_back(nullptr);
    for (const clang::Expr* caller : code.callers(function)) {
      if (llvm::isa<clang::LambdaExpr>(caller) && has_name(code, *caller)) continue;
      open.push_back(llvm::dyn_cast<clang::CallExpr>(caller));
    }
  }
  return users;
}

}  // namespace stradsap::pp

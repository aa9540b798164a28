#include "analyze/slicing/slice_cost.hpp"

#include <clang/AST/ExprCXX.h>
#include <llvm/ADT/STLExtras.h>

#include "analyze/code/control.hpp"
#include "analyze/code/counting_loop.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

/// Whether it takes numbers alone, as std::pow does.
static bool takes_numbers(const clang::FunctionDecl& function) {
  return !function.isVariadic() && llvm::all_of(function.parameters(), [](const clang::ParmVarDecl* one) {
    return one->getType().getNonReferenceType()->isArithmeticType();
  });
}

/// Whether the function out of sight is short: of numbers, or an operation on one object. Algorithms are not.
static bool is_short(const clang::FunctionDecl& function) {
  if (llvm::isa<clang::CXXConstructorDecl>(function) || llvm::isa<clang::CXXDestructorDecl>(function))
    return true;
  if (!is_in_std(function) && !is_in_api(function)) return !is_users(function) && takes_numbers(function);
  if (function.getOverloadedOperator() == clang::OO_Call) return false;  // of std::function
  if (function.isOverloadedOperator() || llvm::isa<clang::CXXMethodDecl>(function)) return true;
  static constexpr llvm::StringLiteral of_objects[] = {"move", "forward",  "swap",     "exchange", "get",
                                                       "min",  "max",      "clamp",    "size",     "begin",
                                                       "end",  "as_const", "make_pair"};
  return takes_numbers(function) ||
         (function.getIdentifier() != nullptr && llvm::is_contained(of_objects, function.getName()));
}

static bool has_few_rounds(const region& code, const clang::Stmt& loop) {
  constexpr std::int64_t few = 16;
  const auto* plain = llvm::dyn_cast<clang::ForStmt>(&loop);
  const auto counted = plain == nullptr ? std::nullopt : counting_loop_of(code, *plain);
  if (!counted || counted->test == nullptr) return false;
  const clang::Expr& bound = *counted->test->getRHS();
  clang::Expr::EvalResult value;
  return !bound.isValueDependent() && bound.EvaluateAsInt(value, code.ast()) &&
         value.Val.getInt().isSignedIntN(32) && value.Val.getInt().getExtValue() <= few;
}

static bool finds_elements(const slice_parts& parts, const clang::Stmt* node) {
  if (node == nullptr) return false;
  return parts.targets.count(node) != 0 || llvm::any_of(node->children(), [&](const clang::Stmt* child) {
           return finds_elements(parts, child);
         });
}

/// Whether the slice runs the loop, in time in proportion to the elements that it finds.
static bool is_run_for_elements(const region& code, const slice_parts& parts, const clang::Stmt& loop) {
  if (parts.once.count(&loop) != 0 || !parts.holds(&loop)) return false;
  return finds_elements(parts, &loop) || has_few_rounds(code, loop);
}

/// Whether a call may take long. Those of functions in sight do not: their loops are looked at.
static bool may_be_long(const region& code, const clang::Expr& call) {
  const clang::FunctionDecl* callee = callee_of(call);
  if (callee == nullptr) return true;
  const clang::FunctionDecl* definition = code.in_sight(callee);
  return definition != nullptr ? definition == code.function_of(&call) : !is_short(*callee);
}

bool is_mostly_slice(const region& code, const slice_parts& parts) {
  return llvm::none_of(code.nodes(), [&](const clang::Stmt* node) {
    if (is_loop(*node)) return !is_run_for_elements(code, parts, *node);
    const bool is_call = llvm::isa<clang::CallExpr>(node) || llvm::isa<clang::CXXConstructExpr>(node);
    return llvm::isa<clang::GotoStmt>(node) || (is_call && may_be_long(code, llvm::cast<clang::Expr>(*node)));
  });
}

}  // namespace stradsap::pp

#include "analyze/frontend/math_errors.hpp"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <llvm/ADT/StringSet.h>

#include <algorithm>
#include <vector>

#include "analyze/code/hidden_calls.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

namespace {

/// Whether C lets the function set errno; any suffix for the type counts.
bool is_math(llvm::StringRef name) {
  static const llvm::StringSet<> names = {
      "acos",    "acosh",   "asin",  "asinh",  "atan",      "atan2",      "atanh", "cbrt",      "cos",
      "cosh",    "erf",     "erfc",  "exp",    "exp2",      "expm1",      "fdim",  "fma",       "fmod",
      "hypot",   "ilogb",   "ldexp", "lgamma", "log",       "log10",      "log1p", "log2",      "logb",
      "llrint",  "llround", "lrint", "lround", "nextafter", "nexttoward", "pow",   "remainder", "remquo",
      "scalbln", "scalbn",  "sin",   "sinh",   "sqrt",      "tan",        "tanh",  "tgamma"};
  name.consume_front("__builtin_");
  if (names.contains(name)) return true;
  return !name.empty() && (name.back() == 'f' || name.back() == 'l') && names.contains(name.drop_back());
}

/// The expression `errno`, as the C library's header expands it.
bool is_errno(const clang::Expr& expr) {
  const auto* pointee = llvm::dyn_cast<clang::UnaryOperator>(expr.IgnoreParenImpCasts());
  if (pointee == nullptr || pointee->getOpcode() != clang::UO_Deref) return false;
  const auto* call = llvm::dyn_cast<clang::CallExpr>(pointee->getSubExpr()->IgnoreParenImpCasts());
  const clang::FunctionDecl* callee = call == nullptr ? nullptr : call->getDirectCallee();
  return callee != nullptr && callee->getIdentifier() != nullptr && callee->getName() == "__errno_location";
}

/// The uses of errno in one function, and the code that it names.
class errno_uses {
 public:
  explicit errno_uses(const clang::Stmt& body) : left_{&body} {
    while (!left_.empty()) {  // no recursion: an expression may have any number of operands
      const clang::Stmt* next = left_.back();
      left_.pop_back();
      look(*next);
    }
  }

  [[nodiscard]] bool may_read_math_errors() const { return reads_ && (!assigns_ || names_code_); }

 private:
  void look(const clang::Stmt& node) {
    const auto* expr = llvm::dyn_cast<clang::Expr>(&node);
    if (expr != nullptr && is_errno(*expr)) {
      reads_ = true;
      return;
    }
    if (const auto* op = llvm::dyn_cast<clang::BinaryOperator>(&node);
        op != nullptr && op->getOpcode() == clang::BO_Assign && is_errno(*op->getLHS())) {
      assigns_ = true;
      left_.push_back(op->getRHS());
      return;
    }
    names_code_ |= names_code(node);
    const bool is_message = makes_message(node);
    for (const clang::Stmt* child : node.children()) {
      const auto* argument = llvm::dyn_cast_or_null<clang::Expr>(child);
      if (child != nullptr && !(is_message && argument != nullptr && is_errno(*argument)))
        left_.push_back(child);
    }
  }

  /// Whether the node makes a message of an error's number: `strerror(errno)`, `std::system_error(errno,
  /// ...)`.
  static bool makes_message(const clang::Stmt& node) {
    if (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(&node))
      return is_in_std(*made->getConstructor()) &&
             made->getConstructor()->getParent()->getName() == "system_error";
    const auto* call = llvm::dyn_cast<clang::CallExpr>(&node);
    const clang::FunctionDecl* callee = call == nullptr ? nullptr : call->getDirectCallee();
    return callee != nullptr && callee->getIdentifier() != nullptr && !is_users(*callee) &&
           callee->getName().starts_with("strerror");
  }

  /// Whether the node may run code of the user's or of <cmath>, or code that no one knows.
  static bool names_code(const clang::Stmt& node) {
    if (llvm::isa<clang::OverloadExpr, clang::CXXDependentScopeMemberExpr, clang::DependentScopeDeclRefExpr,
                  clang::CXXUnresolvedConstructExpr, clang::CXXDeleteExpr>(node))
      return true;
    if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&node);
        call != nullptr && call->getDirectCallee() == nullptr)
      return true;
    if (const auto* declared = llvm::dyn_cast<clang::DeclStmt>(&node)) {
      const auto is_ended = [](const clang::Decl* one) {
        const auto* variable = llvm::dyn_cast<clang::VarDecl>(one);
        return variable != nullptr && runs_users_destructor(variable->getType());
      };
      return std::any_of(declared->decl_begin(), declared->decl_end(), is_ended);
    }
    const clang::ValueDecl* named = nullptr;
    if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&node)) named = reference->getDecl();
    if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&node)) named = member->getMemberDecl();
    if (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(&node)) named = made->getConstructor();
    if (named == nullptr) return false;
    const auto* function = llvm::dyn_cast<clang::FunctionDecl>(named);
    if (function == nullptr) return may_be_called(named->getType().getNonReferenceType());
    return is_users(*function) || (function->getIdentifier() != nullptr && is_math(function->getName()));
  }
  /// Whether a variable of the type may be called, by itself or by a function that gets it.
  static bool may_be_called(clang::QualType type) {
    if (type->isDependentType() || type->isFunctionType() || type->isFunctionPointerType() ||
        type->isMemberFunctionPointerType())
      return true;
    const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
    return record != nullptr && (is_users(*record) || record->getName() == "function");
  }

  std::vector<const clang::Stmt*> left_;
  bool reads_ = false, assigns_ = false, names_code_ = false;
};

class math_error_finder : public clang::RecursiveASTVisitor<math_error_finder> {
 public:
  // ---- Clang's spelling ----
  /// Bodies of lambdas belong to the function around them.
  bool VisitFunctionDecl(clang::FunctionDecl* function) {
    if (function->isThisDeclarationADefinition() && function->hasBody())
      found_ = errno_uses(*function->getBody()).may_read_math_errors();
    return !found_;
  }

  [[nodiscard]] bool found() const { return found_; }

 private:
  bool found_ = false;
};

}  // namespace

bool reads_math_errors(const clang::ASTContext& ast) {
  math_error_finder finder;
  // without those of a precompiled header, which has none of the user's
  for (clang::Decl* declaration : ast.getTranslationUnitDecl()->noload_decls()) {
    if (is_users(ast, declaration->getLocation()) && !finder.found()) finder.TraverseDecl(declaration);
  }
  return finder.found();
}

}  // namespace stradsap::pp

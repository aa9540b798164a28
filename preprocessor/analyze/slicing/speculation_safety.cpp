#include "analyze/slicing/speculation_safety.hpp"

#include <clang/AST/StmtCXX.h>

#include <algorithm>

#include "analyze/code/control.hpp"
#include "analyze/code/counting_loop.hpp"
#include "analyze/code/known_functions.hpp"
#include "analyze/slicing/bounds.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

namespace {

class speculation_analyzer {
 public:
  speculation_analyzer(const region& code, const slice_parts& parts) : code_(code), parts_(parts) {}

  bool is_safe_to_speculate(const clang::Stmt& node) const {
    if (parts_.kept.count(&node) != 0 || llvm::isa<clang::DeclStmt>(node)) return is_whole_total(node);
    if (!parts_.holds(&node)) return true;  // it will not be printed
    if (parts_.targets.count(&node) != 0) return is_whole_total(node);
    if (const auto* branch = llvm::dyn_cast<clang::IfStmt>(&node)) return is_branch_total(*branch);
    if (parts_.once.count(&node) != 0) {
      const std::vector<const clang::Stmt*> parts = parts_of_loop(node);
      return std::all_of(parts.begin(), parts.end(),
                         [&](const clang::Stmt* part) { return is_safe_to_speculate(*part); });
    }
    if (const auto* loop = llvm::dyn_cast<clang::CXXForRangeStmt>(&node)) {
      return is_whole_total(*loop->getRangeInit()) && is_safe_to_speculate(*loop->getBody());
    }
    if (const auto* loop = llvm::dyn_cast<clang::ForStmt>(&node)) return is_loop_total(*loop);
    if (!llvm::isa<clang::Expr, clang::CompoundStmt>(node)) return false;
    return std::all_of(node.child_begin(), node.child_end(), [&](const clang::Stmt* child) {
      return child == nullptr || is_safe_to_speculate(*child);
    });
  }

 private:
  bool is_branch_total(const clang::IfStmt& branch) const {
    const auto is_fine = [&](const clang::Stmt* part) {
      return part == nullptr || is_safe_to_speculate(*part);
    };
    const bool condition = parts_.left_out.count(branch.getCond()) != 0
                               ? is_safe_to_speculate(*branch.getCond())
                               : is_whole_total(*branch.getCond());
    return condition && is_fine(branch.getInit()) && is_fine(branch.getConditionVariableDeclStmt()) &&
           is_fine(branch.getThen()) && is_fine(branch.getElse());
  }

  bool is_loop_total(const clang::ForStmt& loop) const {
    const auto is_fine = [&](const clang::Stmt* part) { return part == nullptr || is_whole_total(*part); };
    return surely_ends(loop) && is_fine(loop.getInit()) && is_fine(loop.getCond()) &&
           is_safe_to_speculate(*loop.getBody());
  }

  bool surely_ends(const clang::ForStmt& loop) const {
    const std::optional<counting_loop> counted = counting_loop_of(code_, loop);
    return counted && counted->surely_ends();
  }

  static bool asks_for_size(const clang::CallExpr& call) {
    const clang::FunctionDecl* callee = call.getDirectCallee();
    if (callee == nullptr || callee->getIdentifier() == nullptr || !is_in_std(*callee)) return false;
    return callee->getName() == "size" || callee->getName() == "empty";
  }

  template <class Range> static bool are_numbers(const Range& arguments) {
    return std::all_of(arguments.begin(), arguments.end(),
                       [](const clang::Expr* argument) { return argument->getType()->isArithmeticType(); });
  }

  /// Whether the call compares numbers: std::max(a, b) and the like.
  static bool compares_numbers(const clang::CallExpr& call) {
    static constexpr llvm::StringLiteral names[] = {"max", "min", "clamp", "abs"};
    const clang::FunctionDecl& callee = *call.getDirectCallee();
    if (callee.getIdentifier() == nullptr || !is_in_std(callee) || is_users(callee)) return false;
    return std::find(std::begin(names), std::end(names), callee.getName()) != std::end(names) &&
           are_numbers(call.arguments());
  }

  bool is_operator_total(const clang::BinaryOperator& op) const {
    switch (op.getOpcode()) {
      case clang::BO_Div:
      case clang::BO_Rem:
      case clang::BO_DivAssign:
      case clang::BO_RemAssign:
        return op.getRHS()->isEvaluatable(code_.ast()) || op.getType()->isRealFloatingType();
      default:
        return true;
    }
  }

  static bool is_construction_total(const clang::CXXConstructExpr& made) {
    const clang::CXXConstructorDecl& constructor = *made.getConstructor();
    if (constructor.isUserProvided() && is_users(constructor)) return false;
    if (is_in_std(constructor) && constructor.getParent()->hasTrivialDestructor() &&
        are_numbers(made.arguments()))
      return true;  // a pair, for example
    return constructor.isTrivial() || constructor.isDefaultConstructor() ||
           constructor.isCopyOrMoveConstructor();
  }

  bool is_call_total(const clang::CallExpr& call) const {
    const clang::Expr* object = object_of(call);
    if (object != nullptr && (is_container(object->getType()) || asks_for_size(call))) return true;
    const clang::FunctionDecl* callee = call.getDirectCallee();
    if (callee == nullptr) return false;
    return only_computes(*callee) || compares_numbers(call) || is_function_total(*callee);
  }

  /// Whether the function only computes: std::exp, std::move and the like; not abort, printf, strlen.
  bool only_computes(const clang::FunctionDecl& callee) const {
    const unsigned id = callee.getBuiltinID();
    const auto& builtins = code_.ast().BuiltinInfo;
    return id != 0 && (builtins.isConst(id) || builtins.isConstWithoutErrnoAndExceptions(id));
  }

  /// Whether a user function cannot fail, by its text. Recursion may never end, so it counts as a failure.
  bool is_function_total(const clang::FunctionDecl& callee) const {
    const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&callee);
    const clang::FunctionDecl* helper = visible_definition(&callee);
    if (helper == nullptr || !code_.contains(helper) || (method != nullptr && method->isVirtual()))
      return false;
    if (std::find(called_.begin(), called_.end(), helper) != called_.end()) return false;
    called_.push_back(helper);
    const bool found = is_whole_total(*helper->getBody());
    called_.pop_back();
    return found;
  }

  /// Whether a text that is printed whole cannot fail.
  bool is_whole_total(const clang::Stmt& node) const {
    if (llvm::isa<clang::WhileStmt, clang::DoStmt, clang::SwitchStmt, clang::BreakStmt, clang::ContinueStmt,
                  clang::GotoStmt, clang::CXXThrowExpr, clang::CXXNewExpr, clang::LambdaExpr>(node)) {
      return false;
    }
    if (llvm::isa<clang::ReturnStmt>(node) && called_.empty()) return false;
    const auto* counted = llvm::dyn_cast<clang::ForStmt>(&node);
    if (counted != nullptr && !surely_ends(*counted)) return false;
    const auto* member = llvm::dyn_cast<clang::MemberExpr>(&node);
    if (member != nullptr && member->isArrow() &&
        !llvm::isa<clang::CXXThisExpr>(member->getBase()->IgnoreImpCasts()))
      return false;
    if (const auto* loop = llvm::dyn_cast<clang::CXXForRangeStmt>(&node)) {
      return is_whole_total(*loop->getRangeInit()) && is_whole_total(*loop->getBody());
    }
    const auto* expression = llvm::dyn_cast<clang::Expr>(&node);
    const bool bounded = expression != nullptr && is_within_bounds(code_, *expression);
    if (llvm::isa<clang::ArraySubscriptExpr>(node) && !bounded) return false;
    if (const auto* declarations = llvm::dyn_cast<clang::DeclStmt>(&node)) return are_total(*declarations);
    if (const auto* op = llvm::dyn_cast<clang::BinaryOperator>(&node)) {
      if (!is_operator_total(*op)) return false;
    }
    if (const auto* step = llvm::dyn_cast<clang::UnaryOperator>(&node)) {
      if (step->getOpcode() == clang::UO_Deref) return false;
    }
    if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&node)) {
      if (!bounded && !is_call_total(*call)) return false;
    }
    if (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(&node)) {
      if (!is_construction_total(*made)) return false;
    }
    return std::all_of(node.child_begin(), node.child_end(),
                       [&](const clang::Stmt* child) { return child == nullptr || is_whole_total(*child); });
  }

  bool are_total(const clang::DeclStmt& statement) const {
    const bool whole =
        std::any_of(statement.decl_begin(), statement.decl_end(),
                    [&](const clang::Decl* declaration) { return parts_.needs(*declaration); });
    return std::all_of(statement.decl_begin(), statement.decl_end(), [&](const clang::Decl* declaration) {
      const auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration);
      if (variable == nullptr) return llvm::isa<clang::TypeDecl, clang::StaticAssertDecl>(declaration);
      if (variable->getInit() == nullptr) return true;
      return whole ? is_whole_total(*variable->getInit()) : is_safe_to_speculate(*variable->getInit());
    });
  }

  const region& code_;
  const slice_parts& parts_;
  mutable std::vector<const clang::FunctionDecl*> called_;  // user functions on the current path
};

bool is_below(const region& code, const clang::Stmt& node, const clang::Stmt& top) {
  const clang::Stmt* at = &node;
  while (at != nullptr && at != &top) at = code.above(at);
  return at == &top;
}

}  // namespace

bool is_safe_to_speculate(const region& code, const slice_parts& parts, const clang::Stmt& node) {
  return speculation_analyzer(code, parts).is_safe_to_speculate(node);
}

bool follows_are_safe_to_speculate(const region& code, const slice_parts& parts) {
  bool after = false;
  for (const clang::Stmt* child : code.body().getBody()->children()) {
    after |= std::any_of(parts.dropped.begin(), parts.dropped.end(),
                         [&](const clang::Stmt* exit) { return is_below(code, *exit, *child); });
    if (after && !is_safe_to_speculate(code, parts, *child)) return false;
  }
  return true;
}

}  // namespace stradsap::pp

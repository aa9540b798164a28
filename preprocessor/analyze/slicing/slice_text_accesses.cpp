// The part of slice_text that prints the accesses of expressions.
#include <clang/AST/ExprCXX.h>

#include <optional>

#include "analyze/slicing/slice_text.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

namespace {

struct choice {
  const clang::Stmt& condition;
  const clang::Stmt* if_true = nullptr;
  const clang::Stmt* if_false = nullptr;
};

}  // namespace

/// The parts of `c ? a : b`, `a && b`, `a || b`.
static std::optional<choice> choice_of(const clang::Stmt& node) {
  if (const auto* op = llvm::dyn_cast<clang::ConditionalOperator>(&node)) {
    return choice{*op->getCond(), op->getTrueExpr(), op->getFalseExpr()};
  }
  const auto* op = llvm::dyn_cast<clang::BinaryOperator>(&node);
  if (op == nullptr || !op->isLogicalOp()) return std::nullopt;
  const bool both = op->getOpcode() == clang::BO_LAnd;
  return choice{*op->getLHS(), both ? op->getRHS() : nullptr, both ? nullptr : op->getRHS()};
}

/// Prints the accesses of an expression with an unused value: the outermost ones, which contain the others.
void slice_text::print_targets(const clang::Stmt& node) {
  if (!parts_.holds(&node)) return;
  if (parts_.kept.count(&node) != 0) return print_whole(node);
  if (const clang::FunctionDecl* callee = sliced_callee(node))
    return print_call_of_slice(llvm::cast<clang::CallExpr>(node), *callee);
  if (parts_.targets.count(&node) != 0) {
    print_choices_within(node);
    add_once("(void)(" + text_of_target(node) + "); ");
    return note_arguments(llvm::cast<clang::Expr>(node));
  }
  if (llvm::isa<clang::LambdaExpr>(node)) throw not_sliceable{"an element is reached in a lambda"};
  if (print_choices_of(node)) return;
  for (const clang::Stmt* child : node.children()) {
    if (child != nullptr) print_targets(*child);
  }
}

/// The function that a target calls, if the slice calls its slice instead.
const clang::FunctionDecl* slice_text::sliced_callee(const clang::Stmt& target) const {
  const auto* call = llvm::dyn_cast<clang::CallExpr>(&target);
  if (call == nullptr || parts_.targets.count(call) == 0) return nullptr;
  const clang::FunctionDecl* callee = visible_definition(callee_of(*call));
  return callee != nullptr && slice_names_.count(callee) != 0 ? callee : nullptr;
}

/// Prints the accesses of the arguments that the slice does not pass, and the call.
void slice_text::print_call_of_slice(const clang::CallExpr& call, const clang::FunctionDecl& callee) {
  print_choices_within(call);
  std::string passed;
  const std::vector<const clang::Expr*> arguments = arguments_of(call);
  const needed_parameters& needed = parts_.functions.at(&callee);
  for (unsigned i = 0; i < arguments.size(); ++i) {
    if (needed.count(i) == 0) {
      print_targets(*arguments[i]);
    } else {
      printed_.insert(arguments[i]);
      passed += (passed.empty() ? "" : ", ") + text_of(*arguments[i]);
    }
  }
  if (const clang::Expr* object = object_of(call)) printed_.insert(object);
  add_once(name_of_slice(call, callee) + "(" + passed + "); ");
}

/// `obj.stradsap_sliced_step`, `stradsap_sliced_step`, `space::stradsap_sliced_step`.
std::string slice_text::name_of_slice(const clang::CallExpr& call, const clang::FunctionDecl& callee) const {
  const std::string& name = slice_names_.at(&callee);
  const clang::Expr& named = *call.getCallee()->IgnoreParenImpCasts();
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&named)) {
    if (member->hasQualifier()) throw not_sliceable{"a member function is named with its class"};
    if (member->isImplicitAccess()) return name;
    return text_of(*member->getBase()) + (member->isArrow() ? "->" : ".") + name;
  }
  const auto* function = llvm::dyn_cast<clang::DeclRefExpr>(&named);
  if (function == nullptr) throw not_sliceable{"a function is called by an expression"};
  if (llvm::isa<clang::CXXMethodDecl>(callee)) {
    return function->hasQualifier() ? text_of(function->getQualifierLoc().getSourceRange()) + name : name;
  }
  std::string qualifier;
  for (const clang::DeclContext* at = callee.getDeclContext(); at != nullptr; at = at->getParent()) {
    const auto* space = llvm::dyn_cast<clang::NamespaceDecl>(at);
    if (space != nullptr && !space->isAnonymousNamespace())
      qualifier = space->getNameAsString() + "::" + qualifier;
  }
  return "::" + qualifier + name;
}

bool slice_text::print_choices_of(const clang::Stmt& node) {
  if (llvm::isa<clang::BinaryConditionalOperator>(node))
    throw not_sliceable{"the operator ?: without a middle is not taken apart"};
  const std::optional<choice> found = choice_of(node);
  if (found) print_choice(found->condition, found->if_true, found->if_false);
  return found.has_value();
}

/// Prints the accesses of both choices before a text that is printed whole, because the choice may change
/// later.
void slice_text::print_choices_within(const clang::Stmt& node) {
  const std::optional<choice> found = choice_of(node);
  if (found && parts_.left_out.count(&found->condition) != 0) {
    both_ways_.insert(&found->condition);
    print_unguarded(found->if_true);
    print_unguarded(found->if_false);
  }
  for (const clang::Stmt* child : node.children()) {
    if (child != nullptr) print_choices_within(*child);
  }
}

void slice_text::print_choice(const clang::Stmt& condition, const clang::Stmt* if_true,
                              const clang::Stmt* if_false) {
  if (!parts_.holds(if_true) && !parts_.holds(if_false)) return print_targets(condition);
  if (parts_.left_out.count(&condition) != 0) return print_left_out(condition, if_true, if_false);
  printed_.insert(&condition);
  text_ += "if (" + text_of(condition) + ") ";
  print_conditional(if_true, /*repeated=*/false);
  if (!parts_.holds(if_false)) return;
  text_ += "else ";
  print_conditional(if_false, /*repeated=*/false);
}

/// Notes that the slice reads the values in a subscript.
void slice_text::note_arguments(const clang::Expr& target) {
  for (const clang::Expr* argument : arguments_of(target)) printed_.insert(argument);
  if (const clang::Expr* object = object_of(target)) printed_.insert(object);
}

}  // namespace stradsap::pp

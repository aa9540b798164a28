// The code that one iteration can run: the loop body and all user functions that it reaches, walked once.
// Records each node's parent, the uses of each variable and the calls of each function, without conclusions.
// Borrows from the ASTContext; one thread at a time.
#pragma once

#include <clang/AST/ExprCXX.h>

#include <unordered_map>
#include <vector>

#include "analyze/code/captured_objects.hpp"
#include "analyze/code/hidden_calls.hpp"

namespace stradsap::pp {

/// The parent of a node: a statement, the variable that the node initialises, or the function that has it as
/// its body. Exactly one is set. `order` numbers the nodes: parents precede children, earlier text precedes
/// later text.
struct parent_link {
  const clang::Stmt* statement = nullptr;
  const clang::VarDecl* variable = nullptr;
  const clang::FunctionDecl* function = nullptr;
  std::size_t order = 0;
};

class region {
 public:
  /// Walks `body` and the code that it reaches. `body` is the call operator of `lambda` or an instance of it;
  /// without a lambda, that of a functor's class, or a function. `captured` holds lambdas that were made
  /// before the loop, as `lambda` was; `objects` the captured objects with variables for their members.
  region(const clang::ASTContext& ast, const clang::LambdaExpr* lambda, const clang::FunctionDecl& body,
         std::vector<const clang::LambdaExpr*> captured, const captured_objects& objects,
         std::set<const clang::FunctionDecl*> stated_pure = {});

  const clang::ASTContext& ast() const { return ast_; }
  /// Null for a functor or a function.
  const clang::LambdaExpr* lambda() const { return lambda_; }
  const clang::FunctionDecl& body() const { return body_; }
  /// The lambdas made before the loop: the body and those that it captures.
  const std::vector<const clang::LambdaExpr*>& made_before() const { return made_before_; }
  /// The position where generated text makes the body, a lambda or a functor.
  clang::SourceLocation place() const {
    if (lambda_ != nullptr) return lambda_->getBeginLoc();
    return llvm::cast<clang::CXXMethodDecl>(body_).getParent()->getBraceRange().getEnd();
  }
  /// The loop's index; null if the body has no parameter.
  const clang::ParmVarDecl* index() const {
    return body_.getNumParams() > 0 ? body_.getParamDecl(0) : nullptr;
  }

  /// All nodes, parents before children.
  const std::vector<const clang::Stmt*>& nodes() const { return nodes_; }
  parent_link parent(const clang::Stmt* node) const;
  /// The statement above a node, also through a variable's initialiser; null at a root.
  const clang::Stmt* above(const clang::Stmt* node) const;
  /// The same; above a lambda's body it is the lambda.
  const clang::Stmt* lexically_above(const clang::Stmt* node) const;
  /// Whether `outer` is the node, or lexically above it.
  bool is_around(const clang::Stmt* outer, const clang::Stmt* node) const;
  /// The function or lambda body around a node; null in initialisers of captures.
  const clang::FunctionDecl* function_of(const clang::Stmt* node) const;

  /// The walked functions, the loop body first.
  const std::vector<const clang::FunctionDecl*>& functions() const { return functions_; }
  bool contains(const clang::FunctionDecl* function) const { return walked_.count(function) != 0; }
  /// The definition of a function in sight: the region contains it. Else null.
  const clang::FunctionDecl* in_sight(const clang::FunctionDecl* function) const;
  /// Whether the variable is a captured object. Its own name then only leads to members.
  bool is_object(const clang::VarDecl& variable) const { return objects_.contains(&variable); }
  /// Whether access(pure(f)) names the function: it depends on its arguments only and changes nothing.
  bool is_stated_pure(const clang::FunctionDecl& function) const {
    return stated_pure_.count(function.getCanonicalDecl()) != 0;
  }
  /// Walked functions that run without a call in the text: destructors, callbacks of the standard library.
  const std::set<const clang::FunctionDecl*>& hidden() const { return hidden_; }
  /// The calls of a walked function; for a lambda that is passed on, the expression that passes it.
  const std::vector<const clang::Expr*>& callers(const clang::FunctionDecl* function) const;

  /// The expressions that name a variable, or a member of the enclosing class by its plain name.
  const std::vector<const clang::Expr*>& uses(const clang::ValueDecl* variable) const;
  /// The local variables and parameters of the region.
  const std::vector<const clang::VarDecl*>& variables() const { return variables_; }
  /// The statement in the region that declares a variable; null for parameters, captures and others.
  const clang::Stmt* declaration_of(const clang::ValueDecl* variable) const {
    const auto at = declared_.find(variable);
    return at == declared_.end() ? nullptr : at->second;
  }
  bool declares(const clang::ValueDecl* variable) const { return declared_.count(variable) != 0; }

  /// The uses of `this` of the enclosing class, explicit or implicit, in the body and in initialisers of
  /// captures.
  const std::vector<const clang::CXXThisExpr*>& this_uses() const { return this_uses_; }

  /// Whether a cast drops const anywhere.
  bool casts_const_away() const { return casts_const_away_; }

 private:
  void walk_function(const clang::FunctionDecl& function);
  void walk(const clang::Stmt* node, parent_link above);
  void walk_children(const clang::Stmt* node);
  void walk_declarations(const clang::DeclStmt& statement);
  void walk_lambda(const clang::LambdaExpr& lambda);
  void walk_captures(const clang::LambdaExpr& lambda);
  void walk_hidden();
  void note_name(const clang::Expr& name);
  void note_lambda(const clang::DeclRefExpr& name);
  void note_reference(const clang::DeclRefExpr& reference);
  void reach(const clang::FunctionDecl* callee, const clang::Expr* call);
  void reach_overrides(const clang::Expr& call);
  void declare(const clang::VarDecl& variable, const clang::Stmt* statement = nullptr);

  const clang::ASTContext& ast_;
  const clang::LambdaExpr* lambda_;
  const clang::FunctionDecl& body_;
  std::vector<const clang::LambdaExpr*> made_before_;
  const captured_objects& objects_;
  std::set<const clang::FunctionDecl*> stated_pure_;
  std::vector<const clang::Stmt*> nodes_;
  std::unordered_map<const clang::Stmt*, parent_link> parents_;
  std::vector<const clang::FunctionDecl*> functions_;
  std::vector<const clang::FunctionDecl*> waiting_;
  std::unordered_map<const clang::FunctionDecl*, bool> walked_;
  hidden_calls search_;
  std::set<const clang::FunctionDecl*> hidden_;
  std::set<const clang::VarDecl*> globals_;  // with searched initialisers
  std::unordered_map<const clang::FunctionDecl*, std::vector<const clang::Expr*>> callers_;
  std::unordered_map<const clang::ValueDecl*, std::vector<const clang::Expr*>> uses_;
  std::vector<const clang::VarDecl*> variables_;
  std::unordered_map<const clang::ValueDecl*, const clang::Stmt*> declared_;  // with the declaring statement
  std::vector<const clang::CXXThisExpr*> this_uses_;
  bool casts_const_away_ = false;
};

/// The definition of a user function in this translation unit; else null.
const clang::FunctionDecl* visible_definition(const clang::FunctionDecl* function);

/// The function that an expression calls: by a call, an operator or a construction. Null if it is unknown, as
/// for a virtual call.
const clang::FunctionDecl* callee_of(const clang::Expr& call);

/// The functions that a virtual call may run, the called one among them; none for other expressions.
std::vector<const clang::CXXMethodDecl*> overrides_run_by(const clang::Expr& call);

/// The arguments of such an expression that match parameters: without the object of a member operator.
std::vector<const clang::Expr*> arguments_of(const clang::Expr& call);

/// The object of a member function's call; else null.
const clang::Expr* object_of(const clang::Expr& call);

}  // namespace stradsap::pp

// The code that one iteration can run: a loop body and every function of the user's that it reaches, walked
// once. Remembers who stands above whom, where each variable is named, and who calls whom; judges nothing.
// Borrows from the ASTContext; one thread at a time.
#pragma once

#include <clang/AST/ExprCXX.h>

#include <unordered_map>
#include <vector>

#include "analyze/hidden_calls.hpp"

namespace stradsap::pp {

/// What stands directly above a node: a statement, the variable that it initialises, or the function whose
/// body it is. Exactly one is set. And the node's own number, parents before children, earlier text before
/// later.
struct parent_link {
  const clang::Stmt* statement = nullptr;
  const clang::VarDecl* variable = nullptr;
  const clang::FunctionDecl* function = nullptr;
  std::size_t order = 0;
};

class region {
 public:
  /// Walks `body`, the call operator of `lambda` or an instance of it, or of a class if there is no lambda;
  /// and what it reaches. `captured`: lambdas that were made before, as `lambda` was.
  region(const clang::ASTContext& ast, const clang::LambdaExpr* lambda, const clang::CXXMethodDecl& body,
         std::vector<const clang::LambdaExpr*> captured,
         std::set<const clang::FunctionDecl*> stated_pure = {});

  const clang::ASTContext& ast() const { return ast_; }
  /// Null where the loop body is a functor.
  const clang::LambdaExpr* lambda() const { return lambda_; }
  const clang::CXXMethodDecl& body() const { return body_; }
  /// Lambdas made before the loop: the body's and those that it captures.
  const std::vector<const clang::LambdaExpr*>& made_before() const { return made_before_; }
  /// Where generated text that makes the body has to stand.
  clang::SourceLocation place() const {
    return lambda_ != nullptr ? lambda_->getBeginLoc() : body_.getParent()->getBraceRange().getEnd();
  }
  /// The loop's index; null if the body takes none.
  const clang::ParmVarDecl* index() const {
    return body_.getNumParams() > 0 ? body_.getParamDecl(0) : nullptr;
  }

  /// Every node, parents before children.
  const std::vector<const clang::Stmt*>& nodes() const { return nodes_; }
  parent_link parent(const clang::Stmt* node) const;
  /// The statement above a node, through the declaration of the variable that it initialises; null at a root.
  const clang::Stmt* above(const clang::Stmt* node) const;
  /// The function (lambda bodies included) in whose text a node stands; null in initialisers of captures.
  const clang::FunctionDecl* function_of(const clang::Stmt* node) const;

  /// Functions walked, the loop body first.
  const std::vector<const clang::FunctionDecl*>& functions() const { return functions_; }
  bool contains(const clang::FunctionDecl* function) const { return walked_.count(function) != 0; }
  /// The user says that it depends on its arguments alone and changes nothing: access(pure(f)).
  bool is_stated_pure(const clang::FunctionDecl& function) const {
    return stated_pure_.count(function.getCanonicalDecl()) != 0;
  }
  /// Those of them that run without being called in the text: destructors, callbacks of the standard library.
  const std::set<const clang::FunctionDecl*>& hidden() const { return hidden_; }
  /// Calls of a walked function; for a lambda that is handed on, the expression that hands it on.
  const std::vector<const clang::Expr*>& callers(const clang::FunctionDecl* function) const;

  /// Expressions that name a variable, or a member of the enclosing class by its bare name.
  const std::vector<const clang::Expr*>& uses(const clang::ValueDecl* variable) const;
  /// Local variables and parameters declared in the region.
  const std::vector<const clang::VarDecl*>& variables() const { return variables_; }
  /// The statement of the region that declares a variable; null for parameters, captures and others.
  const clang::Stmt* declaration_of(const clang::ValueDecl* variable) const {
    const auto at = declared_.find(variable);
    return at == declared_.end() ? nullptr : at->second;
  }
  bool declares(const clang::ValueDecl* variable) const { return declared_.count(variable) != 0; }

  /// `this` of the enclosing class, used explicitly or implicitly in the body or an initialiser of a capture.
  const std::vector<const clang::CXXThisExpr*>& this_uses() const { return this_uses_; }

  /// Whether const is cast away anywhere.
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
  const clang::CXXMethodDecl& body_;
  std::vector<const clang::LambdaExpr*> made_before_;
  std::set<const clang::FunctionDecl*> stated_pure_;
  std::vector<const clang::Stmt*> nodes_;
  std::unordered_map<const clang::Stmt*, parent_link> parents_;
  std::vector<const clang::FunctionDecl*> functions_;
  std::vector<const clang::FunctionDecl*> waiting_;
  std::unordered_map<const clang::FunctionDecl*, bool> walked_;
  hidden_calls search_;
  std::set<const clang::FunctionDecl*> hidden_;
  std::set<const clang::VarDecl*> globals_;  // whose initialisers have been searched
  std::unordered_map<const clang::FunctionDecl*, std::vector<const clang::Expr*>> callers_;
  std::unordered_map<const clang::ValueDecl*, std::vector<const clang::Expr*>> uses_;
  std::vector<const clang::VarDecl*> variables_;
  std::unordered_map<const clang::ValueDecl*, const clang::Stmt*>
      declared_;  // and the statement that does it
  std::vector<const clang::CXXThisExpr*> this_uses_;
  bool casts_const_away_ = false;
};

/// The definition of a function of the user's whose text is in this translation unit, else null.
const clang::FunctionDecl* visible_definition(const clang::FunctionDecl* function);

/// The function that an expression calls: a call, an operator, a construction; null if it is not known, as
/// that of a virtual call which only the run decides.
const clang::FunctionDecl* callee_of(const clang::Expr& call);

/// The arguments of such an expression as its parameters see them: the object of a member operator left out.
std::vector<const clang::Expr*> arguments_of(const clang::Expr& call);

/// The object that a member function is called on, else null.
const clang::Expr* object_of(const clang::Expr& call);

}  // namespace stradsap::pp

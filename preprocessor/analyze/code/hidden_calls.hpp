// Finds user functions that run without a call in the walked code: destructors, constructors behind implicit
// ones, functions that a library template calls or a constant's initialiser names. It searches library code
// for this purpose only. Borrows from the ASTContext; one thread at a time.
#pragma once

#include <clang/AST/ExprCXX.h>

#include <set>
#include <vector>

namespace stradsap::pp {

/// A user function, and the expression that reaches it; null at the end of an object's life.
struct hidden_call {
  const clang::FunctionDecl* callee = nullptr;
  const clang::Expr* through = nullptr;
};

/// A default member initialiser that an implicit constructor evaluates.
struct hidden_initialiser {
  const clang::Expr* value = nullptr;
  const clang::FunctionDecl* constructor = nullptr;
};

class hidden_calls {
 public:
  /// Notes a call. Only callees with library text, or without any, are searched.
  void call(const clang::FunctionDecl* callee);
  /// Notes a function that runs without a call in the text: an operator new, a variable's cleanup.
  void run(const clang::FunctionDecl* callee, const clang::Expr* through);
  /// Notes the end of an object of this type.
  void end(clang::QualType type);
  /// Notes an expression outside the walked code that is evaluated, now or earlier.
  void evaluate(const clang::Stmt* node) { search(node, nullptr); }

  /// The findings since the previous call; searches until nothing new appears.
  std::vector<hidden_call> take_calls();
  std::vector<hidden_initialiser> take_initialisers();

 private:
  void search_waiting();
  void search(const clang::Stmt* node, const clang::FunctionDecl* function);
  void search_expression(const clang::Expr& node, const clang::FunctionDecl* function);

  std::set<const clang::FunctionDecl*> searched_;
  std::set<const clang::CXXRecordDecl*> ended_;
  std::vector<const clang::FunctionDecl*> waiting_;
  std::vector<hidden_call> calls_;
  std::vector<hidden_initialiser> initialisers_;
};

/// Whether the end of an object of this type runs a destructor of the user's.
bool runs_users_destructor(clang::QualType type);

}  // namespace stradsap::pp

// Functions of the user's that run although no call of them is written in the walked code: destructors,
// constructors behind implicit ones, what a template of the standard library calls, what a constant's
// initialiser names. Searches the code that is not the user's for nothing else. Borrows from the ASTContext;
// one thread at a time.
#pragma once

#include <clang/AST/ExprCXX.h>

#include <set>
#include <vector>

namespace stradsap::pp {

/// A function of the user's, and the expression that reaches it; null where an object's life ends.
struct hidden_call {
  const clang::FunctionDecl* callee = nullptr;
  const clang::Expr* through = nullptr;
};

/// A default member initialiser that a constructor which nobody wrote evaluates.
struct hidden_initialiser {
  const clang::Expr* value = nullptr;
  const clang::FunctionDecl* constructor = nullptr;
};

class hidden_calls {
 public:
  /// Something is called: of interest if its text is not the user's own, or if nobody wrote it.
  void call(const clang::FunctionDecl* callee);
  /// A function runs without being called in the text: an operator new, what cleans up a variable.
  void run(const clang::FunctionDecl* callee, const clang::Expr* through);
  /// An object of this type ends.
  void end(clang::QualType type);
  /// An expression outside the walked code is evaluated, or was.
  void evaluate(const clang::Stmt* node) { search(node, nullptr); }

  /// What has come up since the last call; searches until nothing new does.
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

/// Whether a destructor that the user wrote runs when an object of this type ends.
bool runs_users_destructor(clang::QualType type);

}  // namespace stradsap::pp

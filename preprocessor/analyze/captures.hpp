// The outer variables of a loop body: what its captures and their initialisers name, which the closure
// factory has to be given. Refuses captures that are wrong whatever the body does. Borrows from the
// ASTContext.
#pragma once

#include <clang/AST/ExprCXX.h>

#include <string>
#include <vector>

#include "analyze/dependences.hpp"
#include "analyze/diagnostics.hpp"
#include "analyze/region.hpp"
#include "analyze/translation_unit.hpp"

namespace stradsap::pp {

struct outer_variable {
  const clang::ValueDecl* declaration = nullptr;  // a variable, a structured binding or a member of this
  std::string name;
  clang::SourceLocation where;  // of the capture
  bool by_copy = false;
  bool is_constant = false;  // must stay usable in constant expressions
  std::string path = {};     // of an init-capture that stands for a member of another object: `model.weights`
  bool of_closure = false;   // what counts is its value when the closure is made
  bool of_both = false;      // and also that when it is called
  const clang::LambdaExpr* holder = nullptr;  // whose capture it is, if not the loop body's
  const clang::Expr* evaluated = nullptr;     // the initialiser that `path` is, if others cannot evaluate it
  bool is_added = false;                      // used without a capture, and captured for the user

  /// Under which it stands in the dependences: a member of the class around the loop stands for itself.
  const clang::ValueDecl* storage() const {
    return llvm::isa<clang::FieldDecl>(declaration) ? declaration : storage_of(declaration);
  }
  clang::QualType type() const { return declaration->getType().getNonReferenceType(); }
};

/// In the order in which the captures name them, each once.
std::vector<outer_variable> outer_variables(const clang::ASTContext& ast, const clang::LambdaExpr& lambda,
                                            diagnostics& out);

/// How the loop's body, or a lambda that it captures, has the constant.
captured_constant constant_of(const region& code, const clang::LambdaExpr* lambda,
                              const clang::VarDecl& variable);

/// Constants that a body in a lambda or in a template names without capturing them: native compilers may
/// still want them to be captured.
std::vector<captured_constant> constants_around(const region& code,
                                                const std::vector<outer_variable>& captured);

/// The init-captures that would replace a captured `this`: `&P = P, rate = rate`.
std::string captures_instead_of_this(const clang::LambdaExpr& lambda);

/// `[table = std::move(decay)]`: the driver's variable is moved from once, where the lambda is made, and each
/// process moves from a copy of what it was.
bool is_moved_into_capture(const region& code, const clang::Expr& name);

}  // namespace stradsap::pp

// The outer variables of a loop body: its captures, and the names in their initialisers, which the closure's
// factory needs. Refuses captures that are wrong in any body. Borrows from the ASTContext; one thread at a
// time.
#pragma once

#include <clang/AST/ExprCXX.h>

#include <string>
#include <vector>

#include "analyze/code/captured_objects.hpp"
#include "analyze/code/region.hpp"
#include "analyze/dependences/dependences.hpp"
#include "analyze/findings/translation_unit.hpp"
#include "analyze/source/diagnostics.hpp"

namespace stradsap::pp {

struct outer_variable {
  const clang::ValueDecl* declaration = nullptr;  // a variable, a structured binding or a member of this
  std::string name;
  clang::SourceLocation where;  // of the capture
  bool by_copy = false;
  bool is_constant = false;  // must stay usable in constant expressions
  std::string path = {};     // of an init-capture for a member of another object: `model.weights`
  bool of_closure = false;   // copied: its value when the closure is made counts
  bool of_both = false;      // and also its value when the closure is called
  const clang::LambdaExpr* holder = nullptr;  // has this capture, if the loop body has not
  const clang::Expr* evaluated = nullptr;     // the initialiser in `path`, if others cannot evaluate it
  bool is_added = false;                      // used without a capture; the preprocessor adds one
  std::string object = {};                    // of a member of a captured object: `X` or `*this`
  std::string member = {};                    // `train.indptr`

  /// The variable's node in the dependences: a member of the class around the loop is a node of its own.
  const clang::ValueDecl* storage() const {
    return llvm::isa<clang::FieldDecl>(declaration) ? declaration : storage_of(declaration);
  }
  clang::QualType type() const { return declaration->getType().getNonReferenceType(); }
};

/// The outer variables in the order of the captures, without duplicates. `this` is refused unless
/// `this_in_members`.
std::vector<outer_variable> outer_variables(const clang::ASTContext& ast, const clang::LambdaExpr& lambda,
                                            diagnostics& out, bool this_in_members = false);

/// The variables with the members of captured objects in place of these objects.
std::vector<outer_variable> with_members(std::vector<outer_variable> variables,
                                         const captured_objects& objects);

/// The form in which the loop's body, or a lambda that it captures, has the constant.
captured_constant constant_of(const region& code, const clang::LambdaExpr* lambda,
                              const clang::VarDecl& variable);

/// Constants that a body in a lambda or a template names without a capture; native compilers may require one.
std::vector<captured_constant> constants_around(const region& code,
                                                const std::vector<outer_variable>& captured);

/// The init-captures that would replace a captured `this`: `&P = P, rate = rate`; empty if the body names no
/// member.
std::string captures_instead_of_this(const clang::LambdaExpr& lambda);

/// Whether a capture moves from the variable: `[table = std::move(decay)]`. The driver's variable is moved
/// from once, where the lambda is made; each process moves from a copy of the earlier value.
bool is_moved_into_capture(const region& code, const clang::Expr& name);

}  // namespace stradsap::pp

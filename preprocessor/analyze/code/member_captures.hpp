// Init-captures that rename a variable: a member of an object, a global variable, or a container that an
// expression finds. Syntax only; stateless.
#pragma once

#include <clang/AST/ExprCXX.h>

#include <map>
#include <string>

namespace stradsap::pp {

/// The object behind such a capture.
struct captured_part {
  /// `model.weights`; if the initialiser is evaluated, its text.
  std::string path;
  /// `[&w = space::weights]`, `[&w = layers[l]]`: the initialiser, which only the process that makes the
  /// closure can evaluate. Null for members of a local object, which other processes construct.
  const clang::Expr* evaluated = nullptr;
};

/// The parts behind `[&w = model.weights, &v = layers[l]]`, by the captures' own variables.
std::map<const clang::VarDecl*, captured_part> captured_members(const clang::LambdaExpr& lambda);

/// The global variable that an expression names, directly or through its members; null for other expressions.
/// `field` receives the first of the members, if there is one.
const clang::VarDecl* global_named(const clang::Expr& e, const clang::ValueDecl** field = nullptr);

/// The variable that an expression names as a whole, also through references bound to it.
const clang::ValueDecl* whole_variable(const clang::Expr& e);

/// The initialiser of an init-capture in the author's text, without the constructor that makes the copy.
const clang::Expr& initialiser_of(const clang::VarDecl& capture);

}  // namespace stradsap::pp

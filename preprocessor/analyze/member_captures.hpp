// Init-captures that stand for a variable under another name: members of objects, global variables,
// containers that an expression finds. Syntax only; stateless.
#pragma once

#include <clang/AST/ExprCXX.h>

#include <map>
#include <string>

namespace stradsap::pp {

/// What such a capture stands for.
struct captured_part {
  /// `model.weights`; of what is evaluated, the initialiser's text.
  std::string path;
  /// `[&w = space::weights]`, `[&w = layers[l]]`: the initialiser, which only the process that makes the
  /// closure can evaluate. Null for members of a local object, which other processes make up.
  const clang::Expr* evaluated = nullptr;
};

/// `[&w = model.weights, &v = layers[l]]`: by the captures' own variables.
std::map<const clang::VarDecl*, captured_part> captured_members(const clang::LambdaExpr& lambda);

/// The global variable that an expression names, perhaps by way of its members; `field`, if there is one, is
/// the first of these. Null for other expressions.
const clang::VarDecl* global_named(const clang::Expr& e, const clang::ValueDecl** field = nullptr);

/// The variable that an expression names as a whole; references that were bound to one are looked through.
const clang::ValueDecl* whole_variable(const clang::Expr& e);

/// The initialiser of an init-capture as the lambda's author wrote it: a copy is made by a constructor.
const clang::Expr& initialiser_of(const clang::VarDecl& capture);

}  // namespace stradsap::pp

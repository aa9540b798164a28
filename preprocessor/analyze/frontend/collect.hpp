// The declarations and calls that the other files of this folder start from, found in one walk over the
// user's code, instances of templates included. Borrows from the ASTContext; stateless.
#pragma once

#include <clang/AST/ASTContext.h>

#include <vector>

#include "analyze/captures/captured_lambdas.hpp"
#include "analyze/refusals/option_functions.hpp"

namespace stradsap::pp {

struct collected {
  std::vector<const clang::CallExpr*> calls;           // of loop operators
  std::vector<const clang::CallExpr*> variadic_calls;  // with arguments behind the ellipsis
  std::vector<const clang::CallExpr*> template_calls;  // of functions that are instances of user templates
  std::vector<const clang::CallExpr*> registrations;   // of a program's variables, for checkpoints
  std::vector<const clang::RecoveryExpr*> broken_calls;
  lambda_table lambdas;
  std::vector<const clang::DeclaratorDecl*> containers;
  std::vector<const clang::FunctionDecl*> mains;
  std::vector<const clang::FunctionDecl*> functions;  // with bodies, without those of dependent types
  std::vector<option_function> option_functions;      // without those of dependent types
};

collected collect(const clang::ASTContext& ast);

}  // namespace stradsap::pp

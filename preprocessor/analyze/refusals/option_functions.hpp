// Functions of the program among a loop's options: priority(f), depends(f), and merge functions. The runtime
// calls the first two on the driver between updates, and merge functions in all processes. Finds their code,
// and refuses in it all that a body may not contain, and any change that outlives the call. Borrows from the
// ASTContext; stateless.
#pragma once

#include <clang/AST/ExprCXX.h>

#include <optional>
#include <string>
#include <vector>

#include "analyze/captures/captured_lambdas.hpp"
#include "analyze/code/captured_objects.hpp"
#include "analyze/refusals/refusals.hpp"
#include "analyze/source/diagnostics.hpp"

namespace stradsap::pp {

struct option_function {
  const clang::Expr* given = nullptr;
  std::string called;  // "the function of `priority`"
  called_as use = called_as::by_driver;
};

/// The function that a call gives to an option; nothing for other calls.
std::optional<option_function> option_function_of(const clang::CallExpr& call);
/// The same for the construction of a merge rule.
std::optional<option_function> option_function_of(const clang::CXXConstructExpr& made);

/// The code that the runtime calls: the call operators of a lambda or a class, or the function itself.
/// Reports a function without text in sight.
std::vector<const clang::FunctionDecl*> functions_of(const clang::ASTContext& ast, const option_function& one,
                                                     const lambda_table& lambdas, diagnostics& out);

/// Reports all that such a function must not do. `code` is one of functions_of(one); `none` holds no objects.
void refuse_in_option(const option_function& one, const clang::FunctionDecl& code,
                      const lambda_table& lambdas, const captured_objects& none, diagnostics& out);

/// Reports a function of `priority` or `depends` that is `mutable`, or of which the call operator is not
/// const. The native compiler refuses it, too.
bool refuse_changeable(const option_function& one, diagnostics& out);

}  // namespace stradsap::pp

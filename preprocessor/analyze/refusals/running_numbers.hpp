// Running numbers where the native compiler would take the object for the number: among the arguments of C's
// variadic functions. stradsap-cc reads their type as that of the number, so the spelled type tells. Borrows
// from the ASTContext; stateless.
#pragma once

#include <clang/AST/Expr.h>

#include <vector>

#include "analyze/source/diagnostics.hpp"

namespace stradsap::pp {

/// Whether the call passes arguments behind an ellipsis, as printf does.
bool passes_by_ellipsis(const clang::CallExpr& call);

/// Reports the running numbers among these arguments.
void refuse_running_arguments(const clang::CallExpr& call, diagnostics& out);

/// Reports the running numbers that calls of function templates give to parameters of a deduced type, if the
/// template passes these behind an ellipsis. Follows one call.
void refuse_running_in_templates(const std::vector<const clang::CallExpr*>& variadic_calls,
                                 const std::vector<const clang::CallExpr*>& template_calls, diagnostics& out);

}  // namespace stradsap::pp

// Lambdas with captures of their own among the outer variables of a loop body: what they capture is captured
// by the loop as well. Borrows from the ASTContext.
#pragma once

#include <clang/AST/ExprCXX.h>

#include <map>
#include <vector>

#include "analyze/captures.hpp"
#include "analyze/diagnostics.hpp"

namespace stradsap::pp {

/// The lambdas of a translation unit by their classes.
using lambda_table = std::map<const clang::CXXRecordDecl*, const clang::LambdaExpr*>;

/// The lambda, if the type is that of one which other processes can make again from what it captures; null
/// if it captures nothing, and so is a plain value.
const clang::LambdaExpr* remade_lambda(const lambda_table& lambdas, clang::QualType type);

/// The variables, and behind them what such lambdas among them capture, and so on; each names its holder.
std::vector<outer_variable> with_held_variables(const clang::ASTContext& ast, const lambda_table& lambdas,
                                                std::vector<outer_variable> variables, diagnostics& out);

/// Such lambdas among the variables, also those that capture no variable: `[k = 0](int x) { ... }`.
std::vector<const clang::LambdaExpr*> holders_among(const lambda_table& lambdas,
                                                    const std::vector<outer_variable>& variables);

}  // namespace stradsap::pp

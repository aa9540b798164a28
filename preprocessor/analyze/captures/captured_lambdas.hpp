// Lambdas with captures of their own among the outer variables of a loop body: the loop captures their
// captures too. Borrows from the ASTContext; one thread at a time.
#pragma once

#include <clang/AST/ExprCXX.h>

#include <map>
#include <vector>

#include "analyze/captures/captures.hpp"
#include "analyze/source/diagnostics.hpp"

namespace stradsap::pp {

/// The lambdas of a translation unit by their classes.
using lambda_table = std::map<const clang::CXXRecordDecl*, const clang::LambdaExpr*>;

/// The call operator of a lambda; of a generic one, its instances.
std::vector<const clang::CXXMethodDecl*> call_operators_of(const clang::LambdaExpr& lambda);

/// The lambda that other processes make again from its captures, if the type is its class. Null for a lambda
/// without captures, which is a plain value.
const clang::LambdaExpr* remade_lambda(const lambda_table& lambdas, clang::QualType type);

/// The variables, followed by the captures of such lambdas among them, at any depth; each of these names its
/// holder.
std::vector<outer_variable> with_held_variables(const clang::ASTContext& ast, const lambda_table& lambdas,
                                                std::vector<outer_variable> variables, diagnostics& out);

/// Such lambdas among the variables, also those that capture no variable: `[k = 0](int x) { ... }`.
std::vector<const clang::LambdaExpr*> holders_among(const lambda_table& lambdas,
                                                    const std::vector<outer_variable>& variables);

}  // namespace stradsap::pp

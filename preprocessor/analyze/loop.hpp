// One loop body judged: how each outer variable goes to the processes, what steers its accesses, what is
// refused. The analysis proper; everything below it collects facts.
#pragma once

#include <clang/AST/ExprCXX.h>

#include "analyze/diagnostics.hpp"
#include "analyze/loop_options.hpp"
#include "analyze/translation_unit.hpp"
#include "analyze/types.hpp"

namespace stradsap::pp {

/// What is found for one instance of a loop body; where and of what it is made is not filled in. `lambda` is
/// null for a functor. What the call says wins over what is found.
loop_site judge_loop(const clang::ASTContext& ast, const clang::LambdaExpr* lambda,
                     const clang::CXXMethodDecl& body, const loop_options& options, travelling_types& types,
                     diagnostics& out);

/// Joins what two instances of one template said. False where they cannot be joined; `conflict` names the
/// variable.
bool join(loop_site& all, const loop_site& one, std::string& conflict);

}  // namespace stradsap::pp

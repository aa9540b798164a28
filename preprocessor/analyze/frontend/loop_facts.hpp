// The findings on one loop body that all later steps of its analysis share. Immutable; borrows from the
// ASTContext; one thread at a time.
#pragma once

#include <clang/AST/ExprCXX.h>

#include <vector>

#include "analyze/access/accesses.hpp"
#include "analyze/captures/captures.hpp"
#include "analyze/code/region.hpp"
#include "analyze/dependences/const_writes.hpp"
#include "analyze/dependences/dependences.hpp"
#include "analyze/frontend/loop.hpp"
#include "analyze/frontend/loop_options.hpp"

namespace stradsap::pp {

struct loop_facts {
  /// `lambda` is null for a functor. Reports refusals of captures and accesses.
  loop_facts(const analysis_input& with, const captured_objects& objects, const clang::LambdaExpr* lambda,
             const clang::CXXMethodDecl& body, const loop_options& options);
  loop_facts(const loop_facts&) = delete;
  loop_facts& operator=(const loop_facts&) = delete;

  /// The lambda that captures the variable: the loop's, or one that the loop captures; null in a functor.
  const clang::LambdaExpr* capturing(const outer_variable& variable) const {
    return variable.holder != nullptr ? variable.holder : code.lambda();
  }

  const clang::ASTContext& ast;
  const lambda_table& lambdas;
  const loop_options& options;
  const std::vector<outer_variable> captured;  // by the body, and by lambdas that it captures
  const region code;
  const dependences depends;
  const std::vector<access> accesses;
  /// Variables that are written through a cast of a const view of them, and the place.
  const const_writes written_through_const;
  const std::vector<outer_variable> outer;  // `captured`, and the captures that the preprocessor adds
};

}  // namespace stradsap::pp

// One loop body judged: how each outer variable goes to the processes, what steers its accesses, what is
// refused. The analysis proper; everything below it collects facts.
#pragma once

#include <clang/AST/ExprCXX.h>

#include <map>

#include "analyze/captured_lambdas.hpp"
#include "analyze/diagnostics.hpp"
#include "analyze/inserted_reaches.hpp"
#include "analyze/loop_options.hpp"
#include "analyze/shared_reaches.hpp"
#include "analyze/translation_unit.hpp"
#include "analyze/types.hpp"

namespace stradsap::pp {

/// What all loops of a translation unit are judged with.
struct judgement {
  const clang::ASTContext& ast;
  const lambda_table& lambdas;
  travelling_types& types;
  diagnostics& out;
  shared_reaches& reaches;
};

/// A loop, and the lambdas that it captures.
struct judged_loop {
  loop_site site;
  std::map<const clang::LambdaExpr*, made_again> lambdas = {};
  std::vector<inserted_reach> reaches = {};
};

/// What is found for one instance of a loop body; where and of what it is made is not filled in. `lambda` is
/// null for a functor. What the call says wins over what is found.
judged_loop judge_loop(const judgement& with, const clang::LambdaExpr* lambda,
                       const clang::CXXMethodDecl& body, const loop_options& options);

/// Joins what two instances of one template said. False where they cannot be joined; `conflict` names the
/// variable.
bool join(loop_site& all, const loop_site& one, std::string& conflict);

/// The same of what two loops said of a lambda that both capture.
bool join(made_again& all, const made_again& one, std::string& conflict);

}  // namespace stradsap::pp

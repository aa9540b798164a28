// Analyses one loop body: the way of each outer variable to the processes, the data that steer its accesses,
// the refusals. All other files of this folder collect facts for it. Borrows from the ASTContext; one thread
// at a time.
#pragma once

#include <clang/AST/ExprCXX.h>

#include <map>

#include "analyze/access/given_reaches.hpp"
#include "analyze/access/hoisted_checks.hpp"
#include "analyze/access/inserted_reaches.hpp"
#include "analyze/access/shared_reaches.hpp"
#include "analyze/captures/captured_lambdas.hpp"
#include "analyze/code/types.hpp"
#include "analyze/findings/translation_unit.hpp"
#include "analyze/frontend/loop_options.hpp"
#include "analyze/source/diagnostics.hpp"

namespace stradsap::pp {

/// The shared inputs and outputs for all loops of a translation unit.
struct analysis_input {
  const clang::ASTContext& ast;
  const lambda_table& lambdas;
  travelling_types& types;
  diagnostics& out;
  shared_reaches& reaches;
  member_variables& members;
  used_parts& parts;
  passed_objects& passed;
};

/// A loop, and the lambdas that it captures.
struct analyzed_loop {
  loop_site site;
  std::map<const clang::LambdaExpr*, reconstructible_closure> lambdas = {};
  std::vector<inserted_reach> reaches = {};
  std::vector<added_text> given = {};  // to functions that return pointers
  std::vector<hoisted_check> hoists = {};
  std::vector<clang::SourceRange> subscripts = {};  // of all accesses, also without such a check
};

/// Analyses one instance of a loop body. Leaves locations and the texts for rewriting empty. `lambda` is null
/// for a functor. The options of the call override the findings.
analyzed_loop analyze_loop(const analysis_input& with, const clang::LambdaExpr* lambda,
                           const clang::CXXMethodDecl& body, const loop_options& options);

/// Joins the findings on two instances of one template. Returns false if they cannot be joined; `conflict`
/// then names the variable.
bool join(loop_site& all, const loop_site& one, std::string& conflict);

/// The same for the findings of two loops on a lambda that both capture.
bool join(reconstructible_closure& all, const reconstructible_closure& one, std::string& conflict);

}  // namespace stradsap::pp

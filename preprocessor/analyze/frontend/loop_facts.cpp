#include "analyze/frontend/loop_facts.hpp"

#include "analyze/captures/captured_lambdas.hpp"
#include "analyze/captures/functors.hpp"
#include "analyze/captures/globals.hpp"
#include "analyze/dependences/const_writes.hpp"

namespace stradsap::pp {

static std::vector<outer_variable> with_added(std::vector<outer_variable> captured, const region& code) {
  for (const outer_variable& variable : variables_to_capture(code, captured)) {
    captured.push_back(variable);
    captured.back().is_added = true;
  }
  return captured;
}

static std::vector<outer_variable> captured_by(const analysis_input& with, const captured_objects& objects,
                                               const clang::LambdaExpr& lambda) {
  return with_members(outer_variables(with.ast, lambda, with.out, objects.contains(nullptr)), objects);
}

loop_facts::loop_facts(const analysis_input& with, const captured_objects& objects,
                       const clang::LambdaExpr* lambda, const clang::CXXMethodDecl& body,
                       const loop_options& given)
    : ast(with.ast),
      lambdas(with.lambdas),
      options(given),
      captured(with_held_variables(
          ast, lambdas,
          lambda != nullptr ? captured_by(with, objects, *lambda) : functor_members(*body.getParent()),
          with.out)),
      code(ast, lambda, body, holders_among(lambdas, captured), objects, options.pure),
      depends(code),
      accesses(with.reaches.joined(code, find_accesses(code, depends, with.out))),
      written_through_const(writes_through_const(code, depends)),
      outer(with_added(captured, code)) {}

}  // namespace stradsap::pp

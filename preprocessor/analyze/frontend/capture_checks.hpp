// Refusals of captures that need the whole body: writes to them, and types that cannot travel. Borrows from
// the facts; one thread at a time.
#pragma once

#include <vector>

#include "analyze/code/types.hpp"
#include "analyze/frontend/loop_facts.hpp"
#include "analyze/source/diagnostics.hpp"

namespace stradsap::pp {

/// The expressions that denote the variable, also through references.
std::vector<const clang::Expr*> names_of(const region& code, const clang::ValueDecl* variable);

class capture_checks {
 public:
  capture_checks(const loop_facts& facts, travelling_types& types, diagnostics& out)
      : facts_(facts), types_(types), out_(out) {}

  /// Refuses tools for the threads of one process, and views of its memory. Returns whether it does.
  bool refuse_tool(const outer_variable& variable);
  /// Refuses references to elements. Returns whether it does.
  bool refuse_element(const outer_variable& variable);
  /// Refuses types that cannot travel. Returns whether no other refusal of the variable is worth a report.
  bool refuse_type(const outer_variable& variable);
  /// Refuses writes to a captured value, except the `folds` of a reduction.
  void refuse_writes(const outer_variable& variable, const std::vector<const clang::Expr*>& folds);
  /// Refuses container reads in initialisers of captures: each process makes its own closure, so they run in
  /// all of them.
  void refuse_initialisers();
  /// Refuses writes to const globals through casts, and to objects that nothing shows.
  void refuse_changed_constants();

 private:
  void refuse_initialisers(const clang::LambdaExpr& lambda);
  void refuse_casts(const outer_variable& variable);
  bool is_written(const clang::ValueDecl& variable) const;

  const loop_facts& facts_;
  travelling_types& types_;
  diagnostics& out_;
};

}  // namespace stradsap::pp

// Finds the captured variables that a body only folds into, and the operators; each process may then fold
// into a part of its own. Accepts the forms of hand-written reductions; all else counts as a write.
// Stateless.
#pragma once

#include <vector>

#include "analyze/access/accesses.hpp"
#include "analyze/captures/captures.hpp"
#include "analyze/code/region.hpp"
#include "analyze/findings/translation_unit.hpp"
#include "analyze/source/diagnostics.hpp"

namespace stradsap::pp {

struct reduction {
  /// The folded parts; empty if the body does not fold into the variable, or also changes it in another way.
  std::vector<folded_member> members;
  /// The names used by folds, even if the body also uses the variable in another way.
  std::vector<const clang::Expr*> folds;
};

/// `names` holds all expressions that denote the variable. Reports errors in a variable that is a reduction.
reduction find_reduction(const region& code, const std::vector<access>& accesses,
                         const outer_variable& variable, const std::vector<const clang::Expr*>& names,
                         diagnostics& out);

}  // namespace stradsap::pp

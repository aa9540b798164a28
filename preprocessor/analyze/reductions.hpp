// Which captured variables a body only folds into, and by which operator: what each process may then do on a
// part of its own. The forms are those of a reduction written by hand; anything else done to the variable is
// a write.
#pragma once

#include <vector>

#include "analyze/accesses.hpp"
#include "analyze/captures.hpp"
#include "analyze/diagnostics.hpp"
#include "analyze/region.hpp"
#include "analyze/translation_unit.hpp"

namespace stradsap::pp {

struct reduction {
  /// What is folded; nothing if the body does not fold into the variable, or also changes it otherwise.
  std::vector<folded_member> members;
  /// The names through which it is folded into, also where something else is done to it too.
  std::vector<const clang::Expr*> folds;
};

/// `names`: every expression that stands for the variable. Reports what is wrong with a reduction that is
/// one.
reduction find_reduction(const region& code, const std::vector<access>& accesses,
                         const outer_variable& variable, const std::vector<const clang::Expr*>& names,
                         diagnostics& out);

}  // namespace stradsap::pp

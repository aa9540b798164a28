// Whether a fold may be done in parts of the variable's own type: what each update computes, and how that is
// converted back. Sums of whole numbers wrap and may be grouped in any way; sums that drop fractions may not.
#pragma once

#include "analyze/folds.hpp"

namespace stradsap::pp {

enum class fold_fault {
  none,
  cut_off,    // an integer takes a sum or product of fractions
  converted,  // a conversion changes what is compared and kept
  no_truth,   // a bool takes the exclusive or of what may be neither 0 nor 1
};

/// What makes the end of `made`, an update with an operator, depend on the order of the iterations.
fold_fault fault_of(const clang::ASTContext& ast, const update& made);

}  // namespace stradsap::pp

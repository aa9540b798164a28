// Decides whether a fold may run in parts that have the variable's own type. This depends on the type in
// which an update computes and on the conversion back. Sums of integers wrap and permit any grouping; sums
// that drop fractions do not. Stateless.
#pragma once

#include "analyze/code/folds.hpp"

namespace stradsap::pp {

enum class fold_fault {
  none,
  cut_off,    // an integer takes a sum or product of fractions
  converted,  // a conversion changes the compared and kept value
  takes_nan,  // NaN may replace the number so far.
  bit_field,  // it has fewer bits than its type
  no_truth,   // a bool takes the exclusive or of a value that may be neither 0 nor 1
};

/// The reason why the result of `made`, an update with an operator, depends on the order of the iterations;
/// or none.
fold_fault fault_of(const clang::ASTContext& ast, const update& made);

}  // namespace stradsap::pp

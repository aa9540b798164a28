// Additions into matrices of Eigen's: x += e, x.noalias() -= e, x.row(i) += e, and the coefficients of a
// matrix, x(i, j) += e. Classifies expressions without conclusions. Borrows from the region; stateless.
#pragma once

#include "analyze/code/folds.hpp"

namespace stradsap::pp {

/// The coefficient that the text around a matrix, or a view of one, selects: x[i]; null in another use.
const clang::Expr* coefficient_at(const region& code, const clang::Expr& matrix);

/// The addition to a matrix, a view of one, or some of its coefficients; without an operator in another use.
update addition_to_matrix(const region& code, const clang::Expr& matrix);

/// The type of the numbers of a matrix or a map of one; other types as they are.
clang::QualType number_of(clang::QualType type);

/// The uses of the Eigen::Map that begins at an address, and has no gaps. Null among them if it is used in
/// other ways than by its name; empty if the address makes no such Map.
std::vector<const clang::Expr*> uses_of_map_at(const region& code, const clang::Expr& address);

}  // namespace stradsap::pp

// Straight-line bodies: the native compiler can vectorise a loop over their iterations. A stretch that is not
// full repeats its last iteration on copies of its elements, with further indices. Stateless.
//
//   straight:      X[j] = a * Y[j] + Z[j];    if (X[j] < 0) X[j] = 0;    X[j] = j % 2;
//   not straight:  inner loops; calls of other functions than those of <cmath>; 6 / (n - j), which may fail
#pragma once

#include "analyze/access/accesses.hpp"
#include "analyze/code/region.hpp"
#include "analyze/findings/translation_unit.hpp"

namespace stradsap::pp {

/// Finds it for a body with these accesses.
straightness straightness_of(const region& code, const std::vector<access>& accesses);

}  // namespace stradsap::pp

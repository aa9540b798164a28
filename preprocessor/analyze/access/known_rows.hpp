// Accesses at an unknown column of a known row. A loop that draws z from the row counts[w * topics + z] reads
// the whole row first, over all z. So the row is known where z is not:
//
//   for (int z = 0; z < topics; ++z) sum += p[z] = counts[w * topics + z] + beta;
//   ...
//   ++counts[w * topics + z_drawn];   // of the row above
//
// That z_drawn stays within the row is a guess. Where it does not, the element is outside of the plan, and
// the access throws. Stateless.
#pragma once

#include <vector>

#include "analyze/access/accesses.hpp"
#include "analyze/code/region.hpp"
#include "analyze/dependences/dependences.hpp"

namespace stradsap::pp {

/// Whether another access in a counting loop touches the row of `one`, whenever `one` runs.
bool is_of_known_row(const region& code, const dependences& depends, const std::vector<access>& accesses,
                     const access& one);

}  // namespace stradsap::pp

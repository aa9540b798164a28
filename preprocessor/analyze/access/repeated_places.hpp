// Accesses under a condition, to elements that another access of the same iteration touches in any case:
//
//   for (p = first[i]; p < first[i + 1]; ++p) margin += w[index[p]] * value[p];
//   if (margin < 1)
//     for (p = first[i]; p < first[i + 1]; ++p) w[index[p]] += rate * value[p];
//
// The first access finds the places of the second, even if the loop writes the data that decide the branch.
// Both may stand in functions: arguments take the place of parameters. Stateless.
#pragma once

#include "analyze/access/accesses.hpp"
#include "analyze/code/region.hpp"
#include "analyze/dependences/dependences.hpp"

namespace stradsap::pp {

/// Whether `other` touches the element of `one` in each iteration that runs `one`.
bool touches_same_place(const region& code, const dependences& depends, const access& other,
                        const access& one);

}  // namespace stradsap::pp

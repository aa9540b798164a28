// Accesses in an inner loop that follow the loop's index in equal steps, or that stay at one element. A check
// before the loop then stands for those in all rounds. Values; stateless.
//
//   for (int k = 0; k < K; ++k) sum += H[i * K + k] * G[i];     H: rounds from i * K on; G: one element
//   while (k < end) sum += w[feature[k++]];                     w: the range of all values of `feature`
//
// One element that the loop only reads is also read before it.
//
// R. Gupta, "Optimizing array bound checks using flow analysis", 1993: checks move to where they are surely
// passed. So an access counts only if each round makes it.
#pragma once

#include <string>
#include <vector>

#include "analyze/access/accesses.hpp"
#include "analyze/dependences/const_writes.hpp"

namespace stradsap::pp {

struct hoisted_check {
  clang::SourceLocation loop;    // its `for`
  clang::SourceRange subscript;  // of the access
  std::string made;              // the check, as an expression
  // the loop's index, or a multiple of it; 0 for one element; empty with `from`
  std::string index;
  bool is_load = false;  // the check also reads the element
  // the container with the subscripts, if the check is of the range of its values
  const clang::ValueDecl* from = nullptr;
  // the loop writes the container, and rounds may not reach the access: windows decide which copy of the loop
  // runs
  bool is_guarded = false;
};

/// The checks of a region that may move before their loops. Text for which no check is returned keeps its
/// own. `written_through_const`: writes that `accesses` do not show.
std::vector<hoisted_check> hoisted_checks(const region& code, const dependences& depends,
                                          const std::vector<access>& accesses,
                                          const const_writes& written_through_const);

}  // namespace stradsap::pp

// Straight-line bodies: the native compiler can vectorise a loop over their iterations. A stretch that is not
// full repeats its last iteration on copies of its elements, with further indices. Stateless.
//
//   straight:      X[j] = a * Y[j] + Z[j];    if (X[j] < 0) X[j] = 0;    X[j] = j % 2;    X[j] -= row[j];
//   not straight:  inner loops; calls of other functions than those of <cmath>; 6 / n, which may fail; row[0]
#pragma once

#include <set>

#include "analyze/access/accesses.hpp"
#include "analyze/code/region.hpp"
#include "analyze/dependences/index_names.hpp"
#include "analyze/findings/translation_unit.hpp"

namespace stradsap::pp {

struct straight_findings {
  straightness found = straightness::plain;
  /// Captured std::vectors of numbers: iteration j reads element j, and nothing else of them.
  std::set<const clang::ValueDecl*> rows;
  unsigned bits_of_index = index_bits;  // that the index may have for these reads
};

/// Finds them for a body with these accesses.
straight_findings find_straightness(const region& code, const std::vector<access>& accesses);

/// Whether the body names the variable once, to add a value of its type.
bool is_added_once(const region& code, const clang::ValueDecl& variable);

}  // namespace stradsap::pp

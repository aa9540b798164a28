// Conditions that a slice may omit because they decide no place, only whether an iteration touches its own.
//
//   body:   { if (!touched[j]) return; for (int k = 0; k < K; ++k) w[j * K + k] -= g[j * K + k]; }
//   slice:  { for (int k = 0; k < K; ++k) { w[reach(j * K + k, between(0, K - k))]; break; } }
//
// Otherwise the data behind the conditions would steer the loop, and each change of them need a new plan. The
// slice then names elements that the body may not touch. Other iterations have other rows, so this costs no
// parallelism. Stateless.
#pragma once

#include <set>
#include <vector>

#include "analyze/access/accesses.hpp"
#include "analyze/code/region.hpp"
#include "analyze/dependences/dependences.hpp"

namespace stradsap::pp {

/// The conditions on data above these accesses, if each of them accesses the row of the loop's index: X[j],
/// X[j * K + k]. Else none.
std::set<const clang::Stmt*> conditions_on_own_places(const region& code, const dependences& depends,
                                                      const std::vector<const access*>& targets);

}  // namespace stradsap::pp

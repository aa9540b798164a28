// The part of a body that finds out which elements it touches: its accesses, what their subscripts are
// computed from, and the control flow around them. Run instead of the body when a loop is planned.
//
//   body:   { const Rating& r = ratings[j]; Factor& p = P[r.user]; e = r.value - dot(p, Q[r.item]); update(p,
//   e); } slice:  { const Rating& r = ratings[j]; (void)(P[r.user]); (void)(Q[r.item]); }
//
// Flow-insensitive backward slicing over statements: M. Weiser, "Program slicing", ICSE 1981. Where something
// is not understood there is no slice, and the whole body is run over recording views.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "analyze/accesses.hpp"
#include "analyze/dependences.hpp"
#include "analyze/region.hpp"
#include "analyze/slice_parts.hpp"

namespace stradsap::pp {

struct slice {
  std::string text;     // statements, on one line; empty if there is no slice
  std::string why_not;  // then
  /// What it finds is what the body touches, to the bit: no branch was left out, nothing is computed with
  /// fractions.
  bool is_exact = false;
  /// Containers whose elements the text names but never looks at.
  origins only_named;
  /// Conditions that were left out since they depend on what the loop writes: more may be touched than will
  /// be.
  std::set<const clang::Stmt*> left_out;
};

slice find_slice(const region& code, const dependences& depends, const slice_goal& goal);

}  // namespace stradsap::pp

// The part of a body that finds the elements it accesses: its accesses, the computation of their subscripts,
// and the control flow around them. It runs in place of the body when a loop is planned.
//
//   body:   { const Rating& r = ratings[j]; Factor& p = P[r.user]; update(p, r.value - dot(p, Q[r.item])); }
//   slice:  { const Rating& r = ratings[j]; (void)(P[r.user]); (void)(Q[r.item]); }
//
// Flow-insensitive backward slicing over statements: M. Weiser, "Program slicing", ICSE 1981. If the analysis
// does not understand a body, there is no slice, and the whole body runs over recording views. Stateless.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "analyze/access/accesses.hpp"
#include "analyze/code/region.hpp"
#include "analyze/dependences/dependences.hpp"
#include "analyze/findings/translation_unit.hpp"
#include "analyze/slicing/slice_parts.hpp"

namespace stradsap::pp {

struct slice {
  std::string text;     // statements, on one line; empty if there is no slice
  std::string why_not;  // the reason, if there is no slice
  /// Whether the slice finds all of the body's accesses, and no others: it omits no branch and computes no
  /// floating-point values.
  bool is_exact = false;
  /// Whether to run it takes about as long as to run the body, and not long for each element that it finds.
  bool is_mostly_body = false;
  /// Containers with elements that the text names but never reads.
  origins only_named;
  /// Conditions that the slice omits. It may find more accesses than the body performs.
  std::set<const clang::Stmt*> left_out;
  /// Slices of functions that the text calls, by their insertion points.
  std::map<text_position, std::string> functions;
};

slice find_slice(const region& code, const dependences& depends, const slice_goal& goal);

}  // namespace stradsap::pp

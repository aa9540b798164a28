// Comparisons of addresses of elements, of which only the subscripts decide the result:
//
//     float* p = &X[u * d];  const float* r = &X[v * d];  if (r == p) continue;
//
// Both addresses must lie within elements of one dvector. Each is taken in the text, or kept in a local
// pointer or reference that never gets another one. An address within memory that an element owns, as a row
// of a std::vector, is not among these. Stateless.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "analyze/code/region.hpp"

namespace stradsap::pp {

struct place_comparison {
  std::vector<const clang::Expr*> accesses;    // X[e], X.data(): where the addresses come from
  std::vector<const clang::Expr*> subscripts;  // decide, with the distances that are added
  std::vector<const clang::VarDecl*> names;    // local pointers and references on the way
  bool is_ordered = false;                     // p < q, p - q, p + k == q: not only whether they are equal
};

/// Nothing if the node is no such comparison.
std::optional<place_comparison> place_comparison_of(const region& code, const clang::Stmt& node);

/// Whether the node compares two pointers, of any origin.
bool compares_pointers(const clang::Stmt& node);

/// Whether the value of an access to an element serves for such comparisons alone. `is_place` tells it of a
/// local variable with the address.
bool is_only_compared(const region& code, const clang::Expr& access,
                      const std::function<bool(const clang::VarDecl&)>& is_place);

}  // namespace stradsap::pp

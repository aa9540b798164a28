// Collects the mentions of distributed containers in a region. Each is either a known access or refused,
// since the runtime would not know the elements behind an unknown one. Borrows from the region; one thread at
// a time.
#pragma once

#include <string>
#include <vector>

#include "analyze/code/region.hpp"
#include "analyze/dependences/dependences.hpp"
#include "analyze/pointers/pointers.hpp"
#include "analyze/source/diagnostics.hpp"

namespace stradsap::pp {

/// A call of a function that returns a pointer, and the reach of that pointer in the body. The call then
/// gives the reach to a copy of the function.
struct given_reach {
  const clang::CallExpr* call = nullptr;
  std::string offsets;
};

struct access {
  /// Calls of the function around it, if they give it the reach.
  std::vector<given_reach> given = {};
  const clang::Expr* call = nullptr;        // P[i], P.at(i), P.find(key) ...
  origins containers;                       // outer variables that it may reach
  unsigned bits = 0;                        // of uses.hpp; 0 if it touches no element
  bool surely_written = false;              // in the text: not only by code that may write it
  bool aligned = false;                     // X[j] with the loop's own index
  unsigned bits_of_index = 0;               // if aligned: those that the index may have
  bool is_range = false;                    // X.span(first, n), or the start of a pointer to several elements
  bool may_reach = false;                   // its result can become a pointer
  std::optional<pointer_reach> reach = {};  // the reach of that pointer
};

/// Whether it touches one element of one dvector, by a subscript.
bool is_element_of_dvector(const access& one);

std::vector<access> find_accesses(const region& code, const dependences& depends, diagnostics& out);

}  // namespace stradsap::pp

// Every mention of a distributed container in a region, each either a recognised access or refused: a mention
// that nobody recognised would be an element that the runtime does not know of.
#pragma once

#include <vector>

#include "analyze/dependences.hpp"
#include "analyze/diagnostics.hpp"
#include "analyze/pointers.hpp"
#include "analyze/region.hpp"

namespace stradsap::pp {

struct access {
  const clang::Expr* call = nullptr;  // P[i], P.at(i), P.find(key) ...
  origins containers;                 // outer variables that it may reach
  unsigned bits = 0;                  // of uses.hpp; 0 if no element is touched
  bool surely_written = false;        // not only handed to code that may write it
  bool aligned = false;               // X[j] with the loop's own index
  bool is_range = false;              // X.span(first, n), or a pointer to several elements is made from it
  bool may_reach = false;             // gives something of which a pointer can be made
  std::optional<pointer_reach> reach = {};  // of such a pointer
};

std::vector<access> find_accesses(const region& code, const dependences& depends, diagnostics& out);

}  // namespace stradsap::pp

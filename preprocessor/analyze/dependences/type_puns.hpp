// Finds objects that the code sees as objects of another type, so that a pointer to something const becomes
// one that permits writes: casts between unrelated types, copies of bytes, members of a union. Stateless.
#pragma once

#include <vector>

#include "analyze/code/region.hpp"

namespace stradsap::pp {

struct type_pun {
  const clang::Expr* where = nullptr;
  const clang::Expr* object = nullptr;  // under its own type, or a pointer to it
};

/// The expressions that may take const away in this way.
std::vector<type_pun> puns_of_const(const region& code);

}  // namespace stradsap::pp

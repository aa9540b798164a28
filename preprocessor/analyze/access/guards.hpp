// The tests that decide whether a statement runs: of branches around it, and of jumps before it. Borrows from
// the region; stateless.
#pragma once

#include <vector>

#include "analyze/dependences/dependences.hpp"

namespace stradsap::pp {

/// A test without `!`, `&&` and `||`.
struct guard {
  const clang::Expr* test = nullptr;
  bool holds = true;                         // if the statement runs
  std::vector<const clang::Expr*> others{};  // any of these may decide instead: `x < 0` of `x < 0 || v < x`
};

/// The guards in a condition. Constant local variables stand for their values.
std::vector<guard> guards_in(const dependences& depends, const clang::Expr& condition, bool holds);

/// The innermost guard first: `if (v < x) x = v;`, `if (v >= x) continue;`, `while (v < x) x = v;`.
std::vector<guard> guards_of(const region& code, const dependences& depends, const clang::Stmt& statement);

}  // namespace stradsap::pp

// Counting loops: for (int k = a; k < b; ++k), with a body that does not change k. Stateless.
#pragma once

#include <optional>

#include "analyze/code/region.hpp"

namespace stradsap::pp {

struct counting_loop {
  const clang::VarDecl* index;        // declared by the loop, alone
  const clang::UnaryOperator* step;   // ++k or --k; nothing else changes it
  const clang::BinaryOperator* test;  // k < b, or another comparison with k on its left; else null
  /// Whether the loop ends for any constant b: it counts towards an inequality, so no step misses b. An index
  /// that wraps before it passes b is not considered.
  bool surely_ends() const;
};

/// The parts of a counting loop; nothing for any other loop.
std::optional<counting_loop> counting_loop_of(const region& code, const clang::ForStmt& loop);

}  // namespace stradsap::pp

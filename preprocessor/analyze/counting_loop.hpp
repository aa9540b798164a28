// for (int k = a; k < b; ++k): how a loop counts whose body leaves its variable alone.
#pragma once

#include <optional>

#include "analyze/region.hpp"

namespace stradsap::pp {

struct counting_loop {
  const clang::VarDecl* index;        // declared by the loop, alone
  const clang::UnaryOperator* step;   // ++k or --k, the only thing that changes it
  const clang::BinaryOperator* test;  // k < b, or another comparison with k on its left; else null
  /// Whether it ends whatever b is, if that stays as it is: it does not count past it, nor wait to meet it.
  bool surely_ends() const;
};

/// Nothing where `loop` is no such loop.
std::optional<counting_loop> counting_loop_of(const region& code, const clang::ForStmt& loop);

}  // namespace stradsap::pp

// Loops with an index that goes from a start to a bound in one direction. Syntax only; stateless.
#pragma once

#include <clang/AST/Stmt.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "analyze/code/region.hpp"

namespace stradsap::pp {

/// The end of an index: `k < bound`, and its step.
struct index_bound {
  const clang::Expr* bound = nullptr;  // null: 0
  const clang::Expr* test = nullptr;   // decides whether another round follows
  const clang::Expr* by = nullptr;     // k += by, k -= by; null: 1
  std::int64_t ahead = 0;              // k + ahead < bound
  bool is_inclusive = false;           // k <= bound, k >= bound
  bool waits_to_meet = false;          // k != bound
  bool ignores_signs = false;          // compares as unsigned
};

/// `for (int k = start; k < bound; k += step)` and the like, also downwards, and `for (k = start; k-- > 0;)`.
struct index_loop : index_bound {
  const clang::VarDecl* index = nullptr;
  const clang::Expr* start = nullptr;
  bool counts_up = true;
  bool steps_in_condition = false;  // k-- > bound: the body sees the decremented value
};

/// The parts of such a loop; nothing if anything besides the loop's step changes the index.
std::optional<index_loop> index_loop_of(const region& code, const clang::ForStmt& loop);

/// The loop that declares the variable in its head; null if there is none.
const clang::ForStmt* loop_declaring(const region& code, const clang::VarDecl& index);

/// A loop that compares a local variable with a bound before each round, and steps it up at most once in a
/// round: `while (k < bound) { ...; ++k; }`, `for (; k < bound; k += 2)`.
struct counting : index_bound {
  const clang::Stmt* loop = nullptr;
  const clang::Expr* step = nullptr;  // ++k
  bool steps_each_round = false;

  /// Whether the variable is below the bound at this use: between the test and the step.
  bool is_in_round(const region& code, const clang::Expr& use) const;
};

/// A variable that only these loops change.
struct counted_variable {
  const clang::Expr* start = nullptr;
  std::vector<counting> loops;
};

/// The loops that count the variable; nothing if anything else changes it.
std::optional<counted_variable> counted_variable_of(const region& code, const clang::VarDecl& index);

/// The variable that `loop` counts in each round, with this loop only; nothing if there is none.
std::optional<counted_variable> counted_by(const region& code, const clang::Stmt& loop);

/// The variable that `while (n-- > 0)`, `while (n--)` or `for (; n-- > 0;)` counts down to 0, if nothing else
/// changes it; else null. Its value before the loop is the number of rounds, unless it is negative.
const clang::VarDecl* counter_of(const region& code, const clang::Stmt& loop);

}  // namespace stradsap::pp

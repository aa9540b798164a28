// The conditions and jumps that decide whether, and how often, a part of a region runs. Syntax only: other
// files find the data behind the conditions. Stateless.
#pragma once

#include <clang/AST/StmtCXX.h>

#include <vector>

#include "analyze/code/region.hpp"

namespace stradsap::pp {

/// The conditions above a node in its function: of branches, of loops, of && and ||.
std::vector<const clang::Stmt*> conditions_above(const region& code, const clang::Stmt& node);

bool is_loop(const clang::Stmt& node);
/// The user's text in the loop's head and body.
std::vector<const clang::Stmt*> parts_of_loop(const clang::Stmt& loop);

/// A loop that tests its condition before each round.
struct loop_parts {
  const clang::Expr* condition = nullptr;
  const clang::Stmt* body = nullptr;
  const clang::Expr* increment = nullptr;
};
/// Of `while` and `for`; no parts of any other loop.
loop_parts tested_parts_of(const clang::Stmt& loop);
/// Of `while`, of `for` and of a `for` over a range; null of any other loop.
const clang::Stmt* body_of(const clang::Stmt& loop);

/// The `for` over a range of which the variable, which no text names, is the range; null for other variables.
const clang::CXXForRangeStmt* loop_over(const region& code, const clang::VarDecl& range);

/// The loop or switch that a break or continue leaves; null for a jump that leaves the function.
const clang::Stmt* left_by(const region& code, const clang::Stmt& exit);

/// Whether the jump `exit` may decide if `node` of the same function runs: `node` comes later, or runs again.
bool decides(const region& code, const clang::Stmt& exit, const clang::Stmt& node);

/// Whether `first` may run before `then` in one iteration: it comes earlier, or a loop repeats both.
bool may_precede(const region& code, const clang::Stmt& first, const clang::Stmt& then);

/// Whether `part` of `whole` is evaluated whenever `whole` is. Loops are not looked at.
bool is_always_evaluated(const clang::Stmt& part, const clang::Stmt& whole);

/// Whether the jump's label stands before it.
bool jumps_back(const region& code, const clang::GotoStmt& jump);

}  // namespace stradsap::pp

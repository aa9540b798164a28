// Which conditions and jumps decide whether a piece of a region runs, and how often. Syntax only: what the
// conditions depend on is for others to say.
#pragma once

#include <vector>

#include "analyze/region.hpp"

namespace stradsap::pp {

/// The conditions under which a node stands in its function: of branches, of loops, of && and ||.
std::vector<const clang::Stmt*> conditions_above(const region& code, const clang::Stmt& node);

bool is_loop(const clang::Stmt& node);
/// What stands in its head and its body, as far as it is the user's text.
std::vector<const clang::Stmt*> parts_of_loop(const clang::Stmt& loop);

/// The loop or switch that a break or continue leaves; null for what leaves the function.
const clang::Stmt* left_by(const region& code, const clang::Stmt& exit);

/// Whether leaving at `exit`, a jump, may decide if `node`, of the same function, runs: it comes later, or
/// again.
bool decides(const region& code, const clang::Stmt& exit, const clang::Stmt& node);

/// Whether `first` may run before `then` in one iteration: it comes earlier, or a loop goes round.
bool may_precede(const region& code, const clang::Stmt& first, const clang::Stmt& then);

/// Whether a jump goes to a label that stands before it.
bool jumps_back(const region& code, const clang::GotoStmt& jump);

}  // namespace stradsap::pp

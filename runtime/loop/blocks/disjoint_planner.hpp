// Plans of iterations that touch scattered elements, but never a common one: X[p[i]] of a permutation, the
// columns of a matrix by rows. Any ranges of such iterations may run side by side on the elements themselves,
// and leave the bits of program order. Thread rule: one thread.
#pragma once

#include <optional>

#include "runtime/loop/plan/planning.hpp"

namespace stradsap::rt {

/// Inspects all iterations. No plan if two of them touch a common element of a container that the loop writes
/// at computed places, also if both only read it. For one rank, which owns all elements that the loop writes.
[[nodiscard]] std::optional<plan> make_disjoint_plan(const planning& in);

}  // namespace stradsap::rt

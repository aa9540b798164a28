// How many iterations touch which groups, and what that says of a container's neighbours. Thread rule:
// values.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

namespace stradsap::rt {

/// Tokens of the groups that an iteration touches, sorted, each once.
using signature = std::vector<std::uint32_t>;
/// Something of each half of a loop.
using of_halves = std::array<std::uint32_t, 2>;
using signature_counts = std::map<signature, of_halves>;

/// Whether the halves of a loop touch much the same groups: not so where iterations are sorted by what they
/// touch.
[[nodiscard]] bool are_halves_alike(const signature_counts& counts);

/// Whether the groups that an iteration touches depend on each other, as where indices are in the order of
/// time, topic or use; each signature has one group of each of the same containers. By more than a twentieth,
/// signatures have more or fewer iterations than by the uses of their groups alone. That is the root of
/// (chi-square - signatures) / iterations, of Pearson's test of independence without what chance gives.
[[nodiscard]] bool are_neighbours_alike(const signature_counts& counts);

}  // namespace stradsap::rt

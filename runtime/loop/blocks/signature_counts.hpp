// Counts of iterations by signature, and a measure of likeness between neighbouring elements. Thread rule:
// values.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

namespace stradsap::rt {

/// The tokens of the groups that an iteration touches: sorted, each once.
using signature = std::vector<std::uint32_t>;
/// A number for each subpass.
using per_subpass = std::array<std::uint32_t, 2>;
using signature_counts = std::map<signature, per_subpass>;

/// Whether the subpasses touch mostly the same groups. They do not if iterations are sorted by the elements
/// they touch.
[[nodiscard]] bool are_subpasses_alike(const signature_counts& counts);

/// Whether the groups that an iteration touches depend on each other, as they do if indices are in order of
/// time, topic or use. Requires that each signature has one group of each of the same containers.
/// The measure is the deviation of the counts from those that the groups' uses predict: the root of
/// (chi-square - signatures) / iterations, by Pearson's test of independence without the contribution of
/// chance. The limit is a twentieth.
[[nodiscard]] bool are_neighbours_alike(const signature_counts& counts);

}  // namespace stradsap::rt

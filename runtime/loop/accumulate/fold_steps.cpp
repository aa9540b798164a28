#include "runtime/loop/accumulate/fold_steps.hpp"

#include <optional>

namespace stradsap::rt {

/// The roots of subtrees are at their first leaf that was used.
fold_steps::fold_steps(const std::vector<bool>& used, bool by_fours) {
  const auto num_leaves = static_cast<std::uint32_t>(used.size());
  std::vector<std::optional<std::uint32_t>> roots(num_leaves);
  for (std::uint32_t leaf = 0; leaf < num_leaves; ++leaf) {
    if (used[leaf]) roots[leaf] = leaf;
  }
  steps_.reserve(num_leaves);
  const auto has_four = [&](std::uint32_t k, std::uint32_t half) {
    return by_fours && k % (4 * half) == 0 && k + 3 * half < num_leaves && roots[k] && roots[k + half] &&
           roots[k + 2 * half] && roots[k + 3 * half];
  };
  for (std::uint32_t half = 1; half < num_leaves; half *= 2) {
    for (std::uint32_t k = 0; k + half < num_leaves; k += 2 * half) {
      if (!roots[k + half]) continue;
      if (has_four(k, half)) {
        steps_.push_back({{*roots[k], *roots[k + half], *roots[k + 2 * half], *roots[k + 3 * half]}, 4});
        roots[k + half] = roots[k + 2 * half] = roots[k + 3 * half] = std::nullopt;
        k += 2 * half;
      } else if (roots[k]) {
        steps_.push_back({{*roots[k], *roots[k + half]}, 2});
      } else {
        roots[k] = roots[k + half];
      }
    }
  }
  if (num_leaves == 0 || !roots[0]) return;
  const bool is_one_step = !steps_.empty() && steps_.back().count == 4;
  if (is_one_step) {
    steps_.back().is_last = true;
  } else {
    steps_.push_back({{*roots[0]}, 1, /*is_last=*/true});
  }
}

}  // namespace stradsap::rt

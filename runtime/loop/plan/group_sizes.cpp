#include "runtime/loop/plan/group_sizes.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <stradsap/abi/blocks.hpp>

namespace stradsap::rt {

std::uint64_t least_iterations(std::uint64_t n) { return std::clamp<std::uint64_t>(n / 256, 64, 1024); }
static constexpr std::uint64_t least_elements = 4;  // of a group
static constexpr std::uint32_t most_groups = 1024;

std::uint32_t number_of_groups(std::uint64_t n, double touches, std::uint64_t elements) {
  auto by_blocks = static_cast<double>(n / least_iterations(n));
  if (touches > 1) by_blocks = std::pow(by_blocks, 1 / touches);
  std::uint32_t groups = 1;
  while (groups < most_groups && 2 * groups <= by_blocks && 2 * groups * least_elements <= elements)
    groups *= 2;
  return groups;
}

void cut_evenly(replica& local, std::uint32_t groups) {
  if (!local.uncut() || groups < 2) return;
  const std::uint64_t n = local.size();
  const std::uint64_t unit = n / groups >= 2 * abi::straight_stretch ? abi::straight_stretch : 1;
  std::vector<std::uint64_t> bounds;
  for (std::uint64_t g = 1; g < groups; ++g) bounds.push_back(n * g / groups / unit * unit);
  bounds.push_back(n);
  local.cut(partition(std::move(bounds), std::vector<rank_id>(groups, local.groups().owner(0))));
}

}  // namespace stradsap::rt

#include "runtime/loop/blocks/signature_counts.hpp"

#include <algorithm>

namespace stradsap::rt {

bool are_subpasses_alike(const signature_counts& counts) {
  std::uint64_t n = 0;
  std::uint64_t in_both = 0;
  for (const auto& [tokens, subpasses] : counts) {
    n += std::uint64_t{subpasses[0]} + subpasses[1];
    in_both += 2 * std::uint64_t{std::min(subpasses[0], subpasses[1])};
  }
  return 5 * in_both >= 4 * n;
}

bool are_neighbours_alike(const signature_counts& counts) {
  constexpr double least = 0.05;
  double n = 0;
  std::map<std::uint32_t, double> uses;
  for (const auto& [tokens, subpasses] : counts) {
    const double count = static_cast<double>(subpasses[0]) + subpasses[1];
    n += count;
    for (const std::uint32_t t : tokens) uses[t] += count;
  }
  double all_expected = 0;
  std::vector<double> expected;
  for (const auto& [tokens, subpasses] : counts) {
    double part = 1;
    for (const std::uint32_t t : tokens) part *= uses[t] / n;
    expected.push_back(part);
    all_expected += part;
  }
  double chi_square = 0;
  auto part = expected.begin();
  for (const auto& [tokens, subpasses] : counts) {
    const double wanted = *part++ / all_expected * n;
    const double more = static_cast<double>(subpasses[0]) + subpasses[1] - wanted;
    chi_square += more * more / wanted;
  }
  return chi_square - static_cast<double>(counts.size()) > least * least * n;
}

}  // namespace stradsap::rt

// Elements, keys and values from the standard library: optional, tuple, pair, nested maps, sets, deques of strings.
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

using Key = std::pair<int, std::string>;
using Summary = std::tuple<int, double, std::string>;

static Summary summarise(int64_t j) { return {static_cast<int>(j % 4), 0.5 * static_cast<double>(j), "s" + std::to_string(j % 3)}; }

int main() {
  const int n = 240;
  stradsap::dvector<std::optional<Summary>> summaries(n);
  stradsap::dvector<std::map<std::string, std::vector<int>>> groups(4);
  stradsap::dvector<std::unordered_map<int, std::set<int>>> members(4);
  stradsap::async_for(n, [&summaries](int64_t j) {
    if (j % 5 != 0) summaries[j] = summarise(j);
    if (j % 7 == 0) summaries[j].reset();
  });
  int missing = 0;
  stradsap::parallel_for(n, [&](int64_t j) {
    const auto& summary = summaries[j];
    if (!summary.has_value()) {
      ++missing;
      return;
    }
    const int group = std::get<0>(*summary);
    const double value = std::get<double>(*summary);
    const std::string name = std::get<2>(*summary);
    groups[group][name].push_back(static_cast<int>(2 * value));
    members[group][static_cast<int>(j % 3)].insert(std::get<0>(*summary) + static_cast<int>(j));
  }, stradsap::consistency::ordered);

  std::map<std::string, std::vector<int>> wanted[4];
  std::unordered_map<int, std::set<int>> wanted_members[4];
  int wanted_missing = 0;
  for (int j = 0; j < n; ++j) {
    if (j % 5 == 0 || j % 7 == 0) {
      ++wanted_missing;
      continue;
    }
    const auto [group, value, name] = summarise(j);
    wanted[group][name].push_back(static_cast<int>(2 * value));
    wanted_members[group][j % 3].insert(group + j);
  }
  for (int g = 0; g < 4; ++g) {
    if (std::as_const(groups)[g] != wanted[g] || std::as_const(members)[g] != wanted_members[g]) return 1;
  }
  return missing == wanted_missing ? 0 : 2;
}

// Keys that are classes, with a hash in namespace std: edges of a graph, nested maps as values.
#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include <stradsap/stradsap.hpp>

struct Edge {
  int from = 0;
  int to = 0;
  bool operator==(const Edge&) const = default;
  auto operator<=>(const Edge&) const = default;
};

template <>
struct std::hash<Edge> {
  size_t operator()(const Edge& e) const noexcept { return static_cast<size_t>(e.from) * 1000003u + static_cast<size_t>(e.to); }
};

int main() {
  const int n = 1500;
  stradsap::dmap<Edge, std::map<int, int>> traffic;
  stradsap::dmap<Edge, double> weight;
  stradsap::async_for(n, [&](int64_t j) {
    const Edge e{static_cast<int>(j % 11), static_cast<int>(j % 13)};
    traffic[e][static_cast<int>(j % 4)] += 1;
    weight[e] += 0.25;
  });
  std::map<Edge, std::map<int, int>> wanted;
  std::map<Edge, double> wanted_weight;
  for (int j = 0; j < n; ++j) {
    const Edge e{j % 11, j % 13};
    wanted[e][j % 4] += 1;
    wanted_weight[e] += 0.25;
  }
  for (const auto& [edge, by_hour] : std::as_const(traffic)) {
    if (wanted.at(edge) != by_hour || std::as_const(weight).at(edge) != wanted_weight.at(edge)) return 1;
  }
  return traffic.size() == wanted.size() ? 0 : 2;
}

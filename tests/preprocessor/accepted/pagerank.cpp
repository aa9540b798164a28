// PageRank: ranks are pulled along incoming links, the two vectors change places after each pass.
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

struct Node {
  std::vector<int> in_links;
  int out_degree = 0;
};

static std::vector<Node> make_graph(int n) {
  std::vector<Node> graph(n);
  for (int v = 0; v < n; ++v) {
    for (int e = 1; e <= v % 5 + 1; ++e) {
      graph[(v * e * 7 + e) % n].in_links.push_back(v);
      ++graph[v].out_degree;
    }
  }
  return graph;
}

int main() {
  constexpr int n = 2000, passes = 5;
  static constexpr double damping = 0.85;
  const std::vector<Node> nodes = make_graph(n);

  stradsap::dvector<Node> graph(nodes.begin(), nodes.end());
  stradsap::dvector<double> rank(n, 1.0 / n), next(n);
  std::vector<double> expected(n, 1.0 / n), pulled(n);
  for (int pass = 0; pass < passes; ++pass) {
    double moved = 0;
    stradsap::parallel_for("pull", n, [&graph, &rank, &next, &moved](int v) {
      double sum = 0;
      for (int u : graph[v].in_links) sum += rank[u] / graph[u].out_degree;
      next[v] = (1 - damping) / n + damping * sum;
      moved += std::abs(next[v] - rank[v]);
    }, stradsap::consistency::async);
    std::swap(rank, next);

    double wanted = 0;
    for (int v = 0; v < n; ++v) {
      double sum = 0;
      for (int u : nodes[v].in_links) sum += expected[u] / nodes[u].out_degree;
      pulled[v] = (1 - damping) / n + damping * sum;
      wanted += std::abs(pulled[v] - expected[v]);
    }
    expected.swap(pulled);
    if (std::abs(moved - wanted) > 1e-12) return 1;
  }
  for (int v = 0; v < n; ++v) {
    if (std::as_const(rank)[v] != expected[v]) return 2;
  }
  return 0;
}

// Connected components: each vertex takes the least label around it, until nothing changes.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

namespace graph {
using Adjacency = std::vector<int>;

/// Rings of `length` vertices.
std::vector<Adjacency> rings(int n, int length) {
  std::vector<Adjacency> edges(n);
  for (int v = 0; v < n; ++v) {
    const int ring = v / length * length, next = ring + (v - ring + 1) % length;
    edges[v].push_back(next);
    edges[next].push_back(v);
  }
  return edges;
}
}  // namespace graph

int main() {
  const int length = 24, n = 50 * length;
  const auto edges = graph::rings(n, length);
  stradsap::dvector<graph::Adjacency> adjacency(edges.begin(), edges.end());
  stradsap::dvector<int> label(n), next(n);
  std::iota(label.begin(), label.end(), 0);

  int rounds = 0;
  bool changed = true;
  while (changed) {
    changed = false;
    stradsap::async_for(n, [&](int64_t v) {
      int least = label[v];
      for (const int u : adjacency[v]) least = std::min(least, label[u]);
      changed = changed || least != label[v];
      next[v] = least;
    });
    std::swap(label, next);
    ++rounds;
  }
  for (int v = 0; v < n; ++v) {
    if (std::as_const(label)[v] != v / length * length) return 1;
  }
  return rounds == length / 2 + 1 ? 0 : 2;
}

// Triangles of a graph: neighbour lists are intersected in the body, into a local vector.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>
#include <vector>

#include <stradsap/stradsap.hpp>

using Neighbours = std::set<int>;

static int64_t common_above(const Neighbours& a, const Neighbours& b, int least) {
  std::vector<int> common;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
  return std::count_if(common.begin(), common.end(), [least](int v) { return v > least; });
}

int main() {
  const int n = 400;
  std::vector<Neighbours> edges(n);
  for (int v = 0; v < n; ++v) {
    for (int k = 1; k < 6; ++k) {
      const int u = (v + k * k) % n;
      edges[v].insert(u);
      edges[u].insert(v);
    }
  }
  const stradsap::dvector<Neighbours> graph(edges.begin(), edges.end());
  int64_t triangles = 0;
  size_t largest = 0;
  stradsap::async_for(n, [&graph, &triangles, &largest](int v) {
    largest = std::max(largest, graph[v].size());
    for (const int u : graph[v]) {
      if (u > v) triangles += common_above(graph[v], graph[u], u);
    }
  });
  int64_t wanted = 0;
  size_t wanted_largest = 0;
  for (int v = 0; v < n; ++v) {
    wanted_largest = std::max(wanted_largest, edges[v].size());
    for (const int u : edges[v]) {
      if (u > v) wanted += common_above(edges[v], edges[u], u);
    }
  }
  return triangles == wanted && largest == wanted_largest && wanted > 0 ? 0 : 1;
}

// Union-find with path halving in one loop, as transactions: values written by other iterations steer each
// iteration. In any serial order the sets are the connected components, and each union removes one set.
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

using edge = std::pair<int, int>;

static int find(stradsap::dvector<int>& parent, int v) {
  while (parent[v] != v) {
    parent[v] = parent[parent[v]];
    v = parent[v];
  }
  return v;
}

static int root(const std::vector<int>& parent, int v) {
  while (parent[v] != v) v = parent[v];
  return v;
}

static std::vector<int> components(int n, const std::vector<edge>& edges) {
  std::vector<int> parent(n);
  std::iota(parent.begin(), parent.end(), 0);
  for (const auto& [a, b] : edges) parent[root(parent, a)] = root(parent, b);
  return parent;
}

int main() {
  constexpr int n = 3000, m = 2900;
  std::vector<edge> list;
  unsigned draw = 1;
  for (int i = 0; i < m; ++i) {
    draw = draw * 1664525u + 1013904223u;
    const int a = static_cast<int>((draw >> 8) % n);
    draw = draw * 1664525u + 1013904223u;
    list.emplace_back(a, static_cast<int>((draw >> 8) % n));
  }
  stradsap::dvector<edge> edges(list.begin(), list.end());
  stradsap::dvector<int> parent(n);
  for (int v = 0; v < n; ++v) parent[v] = v;
  int unions = 0;
  stradsap::async_for(edges.size(), [&](int64_t j) {
    const int a = find(parent, edges[j].first), b = find(parent, edges[j].second);
    if (a != b) {
      parent[a] = b;
      ++unions;
    }
  });

  std::vector<int> found(std::as_const(parent).begin(), std::as_const(parent).end());
  const std::vector<int> expected = components(n, list);
  std::vector<int> of(n, -1);  // the root found for each expected root
  int wrong = 0, sets = 0;
  for (int v = 0; v < n; ++v) {
    int& known = of[root(expected, v)];
    if (known == -1) known = root(found, v);
    wrong += known != root(found, v);
    sets += root(found, v) == v;
  }
  std::printf("wrong=%d sets=%d unions=%d\n", wrong, sets, unions);
  return wrong == 0 && sets == n - unions ? 0 : 1;
}

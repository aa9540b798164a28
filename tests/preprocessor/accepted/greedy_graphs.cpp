// Greedy algorithms on a graph, each in one loop that reads its own earlier decisions:
// a maximal independent set, a maximal matching. In any serial order, they are maximal.
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

using edge = std::pair<int, int>;
enum class state { open, in, out };

static unsigned next_draw(unsigned& draw) {
  draw = draw * 1664525u + 1013904223u;
  return draw >> 8;
}

int main() {
  constexpr int n = 2000, m = 6000;
  std::vector<edge> list;
  std::vector<std::vector<int>> neighbours(n);
  unsigned draw = 7;
  for (int i = 0; i < m; ++i) {
    const int a = static_cast<int>(next_draw(draw) % n), b = static_cast<int>(next_draw(draw) % n);
    if (a == b) continue;
    list.emplace_back(a, b);
    neighbours[a].push_back(b);
    neighbours[b].push_back(a);
  }
  stradsap::dvector<std::vector<int>> graph(neighbours.begin(), neighbours.end());
  stradsap::dvector<edge> edges(list.begin(), list.end());

  // takes a vertex unless a neighbour was taken; writes the state of its neighbours, reads its own
  stradsap::dvector<state> states(n, state::open);
  stradsap::async_for(n, [&graph, &states](int64_t v) {
    if (states[v] != state::open) return;
    states[v] = state::in;
    for (const int u : graph[v]) states[u] = state::out;
  });

  // each vertex's partner, or -1; an iteration touches `tried` of a vertex without one
  stradsap::dvector<int> partner(n, -1);
  stradsap::dvector<int> tried(n);
  int matched = 0;
  stradsap::async_for(edges.size(), [&edges, &partner, &tried, &matched](int64_t j) {
    const auto [a, b] = edges[j];
    if (partner[a] >= 0) {
      tried[partner[a]] += 1;
      return;
    }
    if (partner[b] < 0) {
      partner[a] = b;
      partner[b] = a;
      ++matched;
    }
  });

  int wrong = 0, pairs = 0;
  const auto& s = states;
  const auto& p = partner;
  for (int v = 0; v < n; ++v) {
    bool has_one = s[v] == state::in;
    for (const int u : neighbours[v]) {
      wrong += s[v] == state::in && s[u] == state::in;
      has_one |= s[u] == state::in;
    }
    wrong += !has_one;
    pairs += p[v] >= 0;
    wrong += p[v] >= 0 && p[p[v]] != v;
  }
  for (const auto& [a, b] : list) wrong += p[a] < 0 && p[b] < 0;
  wrong += pairs != 2 * matched;
  std::printf("wrong=%d\n", wrong);
  return wrong == 0 ? 0 : 1;
}

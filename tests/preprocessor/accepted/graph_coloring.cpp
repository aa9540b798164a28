// Greedy colouring in program order: an iteration reads the colours that earlier ones chose.
#include <cstdint>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

enum Color : signed char { none = -1 };

int main() {
  const int n = 500;
  std::vector<std::vector<int>> neighbours(n);
  for (int v = 0; v < n; ++v) {
    for (const int u : {v * 3 % n, v * 5 % n, (v + 1) % n}) {
      if (u == v) continue;
      neighbours[v].push_back(u);
      neighbours[u].push_back(v);
    }
  }
  std::vector<Color> expected(n, none);
  for (int v = 0; v < n; ++v) {
    std::vector<bool> used(neighbours[v].size() + 1);
    for (const int u : neighbours[v]) {
      if (expected[u] != none && expected[u] < static_cast<int>(used.size())) used[expected[u]] = true;
    }
    int c = 0;
    while (used[c]) ++c;
    expected[v] = static_cast<Color>(c);
  }

  const stradsap::dvector<std::vector<int>> adjacent(neighbours.begin(), neighbours.end());
  stradsap::dvector<Color> color(n, none);
  stradsap::parallel_for(n, [&adjacent, &color](int64_t v) {
    const std::vector<int>& around = adjacent[v];
    std::vector<bool> used(around.size() + 1);
    for (const int u : around) {
      const Color theirs = color[u];
      if (theirs == none || theirs >= static_cast<int>(used.size())) continue;
      used[theirs] = true;
    }
    int c = 0;
    while (used[c]) ++c;
    color[v] = static_cast<Color>(c);
  }, stradsap::consistency::ordered);
  for (int v = 0; v < n; ++v) {
    if (std::as_const(color)[v] != expected[v]) return 1;
  }
  return 0;
}

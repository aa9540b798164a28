// Reads of elements in functions that g++ does not inline into a body: comparators of algorithms, and a
// function that calls itself. Prints the number of calls for elements during the loops. A wrong order ends
// it.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <vector>

#include <stradsap/stradsap.hpp>

extern "C" volatile long num_far_elements;  // volatile, as calls of a pure function change it

static float deepest(const stradsap::dvector<float>& X, const stradsap::dvector<int>& left,
                     const stradsap::dvector<int>& right, int node) {
  if (node < 0) return 0;
  return X[node] + std::max(deepest(X, left, right, left[node]), deepest(X, left, right, right[node]));
}

int main() {
  constexpr int n = 1000, F = 20;
  stradsap::dvector<float> X(n * F), depth(F);
  stradsap::dvector<int> order(n * F), left(n, -1), right(n, -1);
  for (int i = 0; i < n * F; ++i) X[i] = static_cast<float>(i * 7919 % 10007);
  for (int i = 0; i < n; ++i) {
    left[i] = 2 * i + 1 < n ? 2 * i + 1 : -1;
    right[i] = 2 * i + 2 < n ? 2 * i + 2 : -1;
  }
  const long before = num_far_elements;
  stradsap::parallel_for(
      F,
      [&](std::int64_t f) {
        std::vector<int> o(n);
        std::iota(o.begin(), o.end(), 0);
        std::sort(o.begin(), o.end(), [&](int a, int b) { return X[f * n + a] < X[f * n + b]; });
        for (int i = 0; i < n; ++i) order[f * n + i] = o[i];
      },
      stradsap::consistency::async);
  stradsap::parallel_for(
      F, [&](std::int64_t f) { depth[f] = deepest(X, left, right, static_cast<int>(f)); },
      stradsap::consistency::async);
  std::printf("%ld\n", num_far_elements - before);
  for (int f = 0; f < F; ++f) {
    for (int i = 1; i < n; ++i) {
      if (X[f * n + order[f * n + i - 1]] > X[f * n + order[f * n + i]]) return 1;
    }
  }
  return depth[0] > depth[1] ? 0 : 1;
}

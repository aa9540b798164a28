// Lambdas inside bodies: called, recursive through themselves, handed to algorithms, changing elements by reference.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

using Tree = std::vector<int>;  // a heap: the children of i are 2 i + 1 and 2 i + 2

int main() {
  const int n = 300;
  stradsap::dvector<Tree> trees(n);
  stradsap::dvector<long> depth_sums(n), even(10);
  stradsap::async_for(n, [&trees](int64_t j) {
    Tree& tree = trees[j];
    tree.resize(static_cast<size_t>(j % 15) + 1);
    std::iota(tree.begin(), tree.end(), static_cast<int>(j));
    std::transform(tree.begin(), tree.end(), tree.begin(), [j](int v) { return static_cast<int>(v * 7 % (j + 2)); });
  });
  stradsap::async_for(n, [&](int64_t j) {
    const Tree& tree = trees[j];
    const auto walk = [&tree](auto&& self, size_t at, int depth) -> long {
      if (at >= tree.size()) return 0;
      return depth * tree[at] + self(self, 2 * at + 1, depth + 1) + self(self, 2 * at + 2, depth + 1);
    };
    depth_sums[j] = walk(walk, 0, 1);
    const auto even_count = std::count_if(tree.begin(), tree.end(), [](int v) { return v % 2 == 0; });
    auto note = [&even](int64_t at, long by) { even[at % 10] += by; };
    note(j, even_count);
  });

  std::vector<long> wanted_even(10);
  for (int j = 0; j < n; ++j) {
    long sum = 0;
    for (int i = 0; i <= j % 15; ++i) {
      const int value = (j + i) * 7 % (j + 2);
      int depth = 1;
      for (int at = i; at > 0; at = (at - 1) / 2) ++depth;
      sum += depth * value;
      wanted_even[j % 10] += value % 2 == 0 ? 1 : 0;
    }
    if (std::as_const(depth_sums)[j] != sum) return 1;
  }
  for (int i = 0; i < 10; ++i) {
    if (std::as_const(even)[i] != wanted_even[i]) return 2;
  }
  return 0;
}

// Captured vectors that functions of the standard library take by any reference and only read.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <ranges>
#include <unordered_map>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::consistency::async;

int main() {
  const int n = 600;
  stradsap::dvector<int> m(n), sums(n);
  std::vector<int> a(n, 1), b(n, 2);
  a[3] = 7;
  stradsap::parallel_for(n, [&m, &b](int64_t j) {
    const int old = std::exchange(m[j], b[j]);
    m[j] += old;
  }, async);
  stradsap::parallel_for(n, [&m, &a, &b](int64_t j) {
    m[j] += std::plus<>()(a[j], b[j]) + std::invoke(std::multiplies<>(), a[j], b[j]);
    m[j] += std::optional<int>().value_or(a[j]);
  }, async);
  stradsap::parallel_for(n, [&sums, &a, &b](int64_t j) {
    sums[j] = static_cast<int>(std::ranges::count(a, 1)) + std::ranges::max(b) + *std::ranges::find(a, 7);
    if (std::ranges::any_of(a, [](int x) { return x > 7; })) sums[j] = 0;
    for (auto at = a.begin(), other = b.begin(); at != a.begin() + 5; ++at, ++other) sums[j] += *at * *other;
  }, async);
  stradsap::parallel_for(n, [&sums, &a, &b](int64_t j) {
    for (const int x : a | std::views::take(5) | std::views::drop(2)) sums[j] += x;
    for (const int x : b | std::views::transform([](int y) { return 2 * y; }) | std::views::take(j % 2)) sums[j] += x;
  }, async);
  // ranges of different types, and the second range of a transform
  std::vector<short> c(n, 3);
  std::unordered_map<int64_t, int> named = {{3, 1}, {5, 2}};
  stradsap::dvector<int> rows(2 * n), found(n);
  stradsap::parallel_for(n, [&rows, &found, &a, &c, &named](int64_t j) {
    int* row = &rows[2 * j];
    row[0] = row[1] = a[j];
    std::transform(row, row + 2, c.begin(), row, std::plus<>());
    found[j] = std::inner_product(row, row + 2, c.begin(), 0) + std::equal(c.begin(), c.end(), a.begin());
    const auto at = named.find(j);
    if (at != named.end()) found[j] += at->second;
  }, async);
  for (int j = 0; j < n; ++j) {
    const int one = j == 3 ? 7 : 1;
    if (std::as_const(m)[j] != 2 + one + 2 + 2 * one + one) return 1;
    if (std::as_const(sums)[j] != 599 + 22 + 2 + 7 + 9 + 4 * (j % 2)) return 2;
    if (std::as_const(found)[j] != 6 * (one + 3) + (j == 3 ? 1 : j == 5 ? 2 : 0)) return 3;
  }
  return 0;
}

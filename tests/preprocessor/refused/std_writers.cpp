// Captured vectors that functions of the standard library change, or hand on to be changed.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <ranges>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

struct Sum {
  int v = 0;
};
static Sum operator+(Sum& a, const Sum& b) { return a.v += b.v, a; }
static void fill(std::span<int> row, int x) { row[0] = x; }

int main() {
  stradsap::dvector<int> m(600);
  std::vector<int> a(600, 1);
  std::vector<std::vector<int>> rows(600);
  std::vector<Sum> sums(600);
  stradsap::async_for(600, [&m, &a](int64_t j) { m[j] = std::exchange(a[j], 3); });  // expected-error: the body changes `a`, or may change it, and every process has a copy of its own [SAP016]
  stradsap::async_for(600, [&m, &rows](int64_t j) { std::vector<int> row; std::exchange(row, std::move(rows[j])); m[j] = row[0]; });  // expected-error: the body changes `rows`, or may change it, and every process has a copy of its own [SAP016]
  stradsap::async_for(600, [&m, &sums](int64_t j) { m[j] = std::plus<>()(sums[j], sums[j]).v; });  // expected-error: the body changes `sums`, or may change it, and every process has a copy of its own [SAP016]
  stradsap::async_for(600, [&m, &a](int64_t j) { *std::ranges::find(a, 1) = 3; m[j] = 1; });  // expected-error: the body changes `a`, or may change it, and every process has a copy of its own [SAP016]
  stradsap::async_for(600, [&m, &a](int64_t j) { m[j] = std::ranges::any_of(a, [](int& x) { return ++x > 3; }); });  // expected-error: the body changes `a`, or may change it, and every process has a copy of its own [SAP016]
  stradsap::async_for(600, [&a](int64_t) { for (int& x : a | std::views::take(3)) x = 1; });  // expected-error: the body changes `a`, or may change it, and every process has a copy of its own [SAP016]
  stradsap::async_for(600, [&m, &a](int64_t j) { for (int x : a | std::views::transform([](int& y) { return ++y; })) m[j] += x; });  // expected-error: the body changes `a`, or may change it, and every process has a copy of its own [SAP016]
  stradsap::async_for(600, [&a](int64_t) { std::ranges::sort(a); });  // expected-error: the body changes `a`, or may change it, and every process has a copy of its own [SAP016]
  stradsap::async_for(600, [&m, &a](int64_t j) { std::span<int> row(a); m[j] = row[0]++; });  // expected-error: the body changes `a`, or may change it, and every process has a copy of its own [SAP016]
  stradsap::async_for(600, [&m, &a](int64_t j) { std::span<int> row(a.data(), 3); row[1] = m[j]; });  // expected-error: the body changes `a`, or may change it, and every process has a copy of its own [SAP016]
  stradsap::async_for(600, [&m, &a](int64_t j) { std::span row(a.begin(), a.end()); row[1] = m[j]; });  // expected-error: the body changes `a`, or may change it, and every process has a copy of its own [SAP016]
  stradsap::async_for(600, [&m, &a](int64_t j) { int* p = a.data(); p[1] = m[j]; });  // expected-error: the body changes `a`, or may change it, and every process has a copy of its own [SAP016]
  stradsap::async_for(600, [&m, &a](int64_t j) { fill(a, m[j]); });  // expected-error: the body changes `a`, or may change it, and every process has a copy of its own [SAP016]
  std::vector<bool> flags(600);
  std::vector<char> text(600);
  stradsap::async_for(600, [&flags](int64_t) { for (auto flag : flags) flag = true; });  // expected-error: the body changes `flags`, or may change it, and every process has a copy of its own [SAP016]
  stradsap::async_for(600, [&text](int64_t) { std::string_view("abc").copy(text.data(), 2); });  // expected-error: the body changes `text`, or may change it, and every process has a copy of its own [SAP016]
  stradsap::async_for(600, [&m, &a](int64_t j) { std::optional<std::span<int>> row = std::span<int>(a); (*row)[0] = m[j]; });  // expected-error: the body changes `a`, or may change it, and every process has a copy of its own [SAP016]
  stradsap::async_for(600, [&m, &flags, &text](int64_t j) { for (auto flag : flags) m[j] += flag ? text[j] : 1; });
  stradsap::async_for(50, [&m](int64_t j) { std::ranges::transform(m.span(j * 12, 12), &m[j * 12], [](int x) { return x + 1; }); });  // expected-error: it is passed to `std::ranges::transform`, with a length that the text does not show [SAP056]
}

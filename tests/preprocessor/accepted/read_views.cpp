// Captured vectors and elements that are read through spans of const, pointers to const and std::as_const.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::async_for;
using stradsap::dvector;

static constexpr int n = 60, width = 4;
static int failures = 0;

static int sum(std::span<const int> row) {
  int total = 0;
  for (const int x : row) total += x;
  return total;
}
static int first(const int* p) { return *p; }

static void check(const char* what, dvector<int>& y, int wanted) {
  int wrong = 0;
  for (int j = 0; j < n; ++j) wrong += std::as_const(y)[j] != wanted + j;
  std::printf("%s %s\n", what, wrong == 0 ? "ok" : "WRONG");
  failures += wrong == 0 ? 0 : 1;
  for (int& x : y) x = 0;
}

static void captured(dvector<int>& y) {
  std::vector<int> table(width, 3);
  std::vector<char> letters(width, 'a');
  async_for(n, [&](int64_t j) { y[j] = sum(table) + static_cast<int>(j); });
  check("argument", y, 12);
  async_for(n, [&](int64_t j) { y[j] = sum(std::span<const int>(table)) + static_cast<int>(j); });
  check("span", y, 12);
  async_for(n, [&](int64_t j) {
    std::span<const int> row(table.data(), 2), rest(table.begin() + 2, table.end());
    y[j] = sum(row) + sum(rest) + static_cast<int>(j);
  });
  check("part", y, 12);
  async_for(n, [&](int64_t j) { y[j] = sum({&table[1], std::size_t(2)}) + static_cast<int>(j); });
  check("braces", y, 6);
  async_for(n, [&](int64_t j) {
    const int* p = table.data();
    const int* q = &table[1];
    y[j] = p[0] + *q + first(&table[2]) + static_cast<int>(j);
  });
  check("pointers", y, 9);
  async_for(n, [&](int64_t j) { y[j] = sum(std::as_const(table)) + std::as_const(table)[1] + static_cast<int>(j); });
  check("as_const", y, 15);
  async_for(n, [&](int64_t j) {
    y[j] = std::string_view(letters.data(), letters.size()) == "aaaa" ? static_cast<int>(j) : -1;
  });
  check("string_view", y, 0);
}

static void elements(dvector<int>& y) {
  dvector<int> x(n * width, 2);
  dvector<std::vector<int>> rows(n, std::vector<int>(width, 2));
  async_for(n, [&](int64_t j) {
    std::span<const int> row(&x[j * width], width);
    y[j] = row[0] + sum(row.subspan(1)) + static_cast<int>(j);
  });
  check("element", y, 8);
  async_for(n, [&](int64_t j) {
    std::span<const int> row = x.span(j * width, width);
    y[j] = sum(row) + sum(std::span<const int>(x.span(j * width, 2))) + static_cast<int>(j);
  });
  check("span of elements", y, 12);
  async_for(n, [&](int64_t j) {
    y[j] = sum(rows[(j * 7) % n]) + std::as_const(rows[j])[0] + static_cast<int>(j);
  });
  check("vector of an element", y, 10);
}

/// An index that a cast of const away changes is no index.
static void changed_indices() {
  dvector<int> x(n);
  async_for(n, [&](int64_t j) {
    int64_t i = j;
    const int64_t& seen = i;
    const_cast<int64_t&>(seen) /= 2;
    x[i] += 1;
  });
  async_for(n, [&](int64_t j) {
    int64_t i = j;
    std::span<const int64_t> seen(&i, 1);
    const_cast<int64_t&>(seen[0]) /= 2;
    x[i] += 1;
  });
  async_for(n, [&](int64_t j) {
    int64_t i = j;
    const_cast<int64_t&>(std::as_const(i)) /= 2;
    x[i] += 1;
  });
  int wrong = 0;
  for (int j = 0; j < n; ++j) wrong += std::as_const(x)[j] != (j < n / 2 ? 6 : 0);
  std::printf("changed indices %s\n", wrong == 0 ? "ok" : "WRONG");
  failures += wrong == 0 ? 0 : 1;
}

int main() {
  dvector<int> y(n);
  captured(y);
  elements(y);
  changed_indices();
  return failures == 0 ? 0 : 1;
}

// Reads are not writes: captured containers of the standard library, rows of elements, lists that grow.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::async_for;
using stradsap::dvector;

static int wrong = 0;

static void expect(const char* what, double found, double wanted) {
  if (found == wanted) return;
  std::printf("%s: %g instead of %g\n", what, found, wanted);
  ++wrong;
}

static double plus(const std::vector<double>::iterator& first, int k) { return first[k]; }

struct token {
  int doc = 0;
  int topic = 0;
};

static void captured(int64_t n) {
  std::map<int, double> table{{0, 1}, {1, 2}, {2, 4}};
  std::unordered_map<std::string, double> named{{"one", 1}};
  std::vector<double> sorted{1, 2, 3, 4};
  std::array<double, 3> weights{1, 2, 3};
  double plain[3] = {1, 1, 2};
  double sum = 0;
  async_for(n, [&](int64_t j) {
    auto found = table.find(static_cast<int>(j % 3));
    if (found != table.end()) sum += found->second;
    sum += table.at(1) + named.at("one") + table.begin()->second;
    sum += *std::lower_bound(sorted.begin(), sorted.end(), 2.5);
    sum += std::accumulate(sorted.begin(), sorted.end(), 0.0) + *std::max_element(weights.begin(), weights.end());
    const double* first = sorted.data();
    double* second = sorted.data() + 1;
    sum += first[0] + *second + plus(sorted.begin(), 2) + plain[j % 3] + std::accumulate(plain, plain + 3, 0.0);
    std::vector<double> copy(sorted.begin(), sorted.end());
    std::copy(weights.begin(), weights.end(), copy.begin());
    sum += copy[0];
    std::mt19937 engine(static_cast<unsigned>(j));
    std::discrete_distribution<int> pick(weights.begin(), weights.end());
    sum += pick(engine) < 3 ? 1 : 0;
    for (auto it = table.begin(); it != table.end(); ++it) sum += it->first;
    for (auto& [key, value] : table) sum += key * value;
    sum += static_cast<double>(std::distance(sorted.begin(), std::find(sorted.begin(), sorted.end(), 3.0)));
  });
  const double each = 2 + 1 + 1 + 3 + 10 + 3 + 1 + 2 + 3 + 4 + 1 + 1 + 3 + 10 + 2;
  double wanted = each * static_cast<double>(n);
  for (int64_t j = 0; j < n; ++j) wanted += static_cast<double>(1 << (j % 3)) + plain[j % 3];
  expect("captured containers", sum, wanted);
}

/// Rows reached by reference, and calls with an argument that is also in the subscript.
static void rows(int64_t n) {
  dvector<int> where(n);
  for (int64_t j = 0; j < n; ++j) where[j] = static_cast<int>(j * 7 % 50);
  dvector<std::array<int, 3>> table(50);
  dvector<std::vector<int64_t>> lists(50);
  dvector<token> tokens(n);
  dvector<int> limits(50);
  for (int64_t j = 0; j < n; ++j) tokens[j] = {static_cast<int>(j % 50), static_cast<int>(j % 3)};
  async_for(n, [&](int64_t j) {
    const token& t = tokens[j];
    auto& row = table[t.doc];
    row[t.topic] += 1;
    row[j % 3] += 1;
    lists[where[j]].push_back(j);
    lists[where[j]].emplace_back(static_cast<int>(j));
    if (int& limit = limits[where[j]]; limit < 3) limit += 1;
    auto& limit = limits[where[j]];
    if (limit > 2) limit = where[(j + 1) % n] < 50 ? 2 : 1;  // reads an element that this loop does not write
    if (limit < 0) throw 1;
  });
  long entries = 0, in_rows = 0;
  for (const auto& list : std::as_const(lists)) entries += static_cast<long>(list.size());
  for (const auto& row : std::as_const(table)) in_rows += row[0] + row[1] + row[2];
  expect("lists", static_cast<double>(entries), 2.0 * static_cast<double>(n));
  expect("rows", static_cast<double>(in_rows), 2.0 * static_cast<double>(n));
}

/// A break or a return decides only about the statements after it.
static void exits(int64_t n) {
  dvector<double> weights(100), found(n);
  for (int i = 0; i < 100; ++i) weights[i] = 1;
  async_for(n, [&](int64_t j) {
    double z = 0;
    for (int k = 0; k < 5; ++k) {
      z += weights[(j + k) % 100];
      if (z > 1e9) throw 1;
    }
    int steps = 0;
    for (int k = 0; k < 10; ++k) {
      ++steps;
      if (k > z) break;
    }
    weights[j % 100] += 0;
    if (steps > 100) return;
    found[j] = z;
  });
  double total = 0;
  for (const double z : std::as_const(found)) total += z;
  expect("exits", total, 5.0 * static_cast<double>(n));
}

int main() {
  captured(1000);
  rows(1000);
  exits(1000);
  return wrong == 0 ? 0 : 1;
}

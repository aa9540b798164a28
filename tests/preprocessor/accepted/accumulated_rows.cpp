// Additions into numbers of rows that own memory, from pass to pass in another shape; a large flat container;
// and near misses: rows that grow, and rows that are read.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::dvector;

constexpr int rows = 5;
constexpr int columns = 300;

/// Halves and their sums are exact, so any order leaves the same bits.
template <class Sums, class Most, class Counts>
static void add(int64_t i, Sums& sums, Most& most, Counts& counts) {
  const int row = static_cast<int>(i * 7919 % rows);
  auto& largest = most[row];
  for (int k = 0; k < 20; ++k) {
    const int64_t column = (i * 104729 + k * 13) % columns;
    sums[row][column] += 0.5 * static_cast<double>(i % 9);
    largest[column] = std::max(largest[column], i);
    ++counts[row * columns + column];
  }
}

static bool passes(int64_t n) {
  dvector<std::vector<double>> sums(rows);
  dvector<std::vector<int64_t>> most(rows, std::vector<int64_t>(columns, -1));
  dvector<int64_t> counts(200000);  // too large to be accumulated always
  std::vector<std::vector<double>> sums_too(rows);
  std::vector<std::vector<int64_t>> most_too(rows, std::vector<int64_t>(columns, -1));
  std::vector<int64_t> counts_too(200000);
  bool right = true;
  for (int pass = 0; pass < 3; ++pass) {
    for (auto& row : sums) row.assign(columns + 10 * pass, 0.5);
    for (auto& row : sums_too) row.assign(columns + 10 * pass, 0.5);
    stradsap::async_for(n, [&](int64_t i) { add(i, sums, most, counts); });
    for (int64_t i = 0; i < n; ++i) add(i, sums_too, most_too, counts_too);
    for (int r = 0; r < rows; ++r) right = right && sums[r] == sums_too[r] && most[r] == most_too[r];
    for (int k = 0; k < 200000; ++k) right = right && counts[k] == counts_too[k];
  }
  return right;
}

static bool failed_pass(int64_t n) {
  dvector<std::vector<int64_t>> counts(rows, std::vector<int64_t>(columns));
  const auto pass = [&](int64_t bad) {
    stradsap::async_for(n, [&](int64_t i) {
      if (i == bad) throw std::runtime_error("bad value");
      for (int k = 0; k < 20; ++k) ++counts[i % rows][(i + k) % columns];
    });
  };
  bool threw = false;
  try {
    pass(n / 2);
  } catch (const stradsap::loop_error& e) {
    threw = e.iteration() == n / 2;
  }
  for (auto& row : counts) std::fill(row.begin(), row.end(), 0);
  pass(-1);
  int64_t total = 0;
  for (const auto& row : std::as_const(counts)) {
    for (const int64_t count : row) total += count;
  }
  return threw && total == 20 * n;
}

static bool near_misses(int64_t n) {
  dvector<std::vector<int>> grown(rows), read(rows, std::vector<int>(4));
  stradsap::async_for(n, [&](int64_t i) {
    grown[i % rows].push_back(1);
    grown[i % rows].front() += 1;
  });
  stradsap::async_for(n, [&](int64_t i) {
    if (read[i % rows][0] < 10) read[i % rows][0] += 1;
  });
  bool right = true;
  for (int r = 0; r < rows; ++r) {
    const auto size = static_cast<std::size_t>((n - r + rows - 1) / rows);
    right = right && grown[r].size() == size && read[r][0] == std::min<int>(10, static_cast<int>(size));
    right = right && (size == 0 || grown[r][0] == 1 + static_cast<int>(size));
  }
  return right;
}

int main() {
  bool right = true;
  for (const int64_t n : {0, 1, 2, 3, 16, 100, 1000, 4000}) right = right && passes(n) && near_misses(n);
  right = right && failed_pass(1000);
  std::printf("accumulated_rows %s\n", right ? "right" : "wrong");
  return right ? 0 : 1;
}

// Rows that the loop only adds into, at columns from data: by a pointer, a reference, functions in sight; and
// numbers that an inner loop only reads, beside elements that it writes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::dvector;

constexpr int n = 3000, features = 6, bins = 16, nodes = 4;
static int failures = 0;

static void check(const char* name, bool is_right) {
  std::printf("%s %s\n", name, is_right ? "ok" : "WRONG");
  failures += is_right ? 0 : 1;
}

struct bin {
  double g = 0, h = 0;
  bool operator==(const bin&) const = default;
};
struct samples {
  std::vector<std::uint8_t> bin_of = std::vector<std::uint8_t>(n * features);
  std::vector<int> node = std::vector<int>(n);
  std::vector<double> grad = std::vector<double>(n);
};

static samples made() {
  samples all;
  for (int i = 0; i < n * features; ++i) all.bin_of[i] = i * 7919 % 23 % bins;
  for (int i = 0; i < n; ++i) all.node[i] = i * 31 % 11 % nodes;
  for (int i = 0; i < n; ++i) all.grad[i] = (i % 17 - 8) / 4.0;  // exact: any order leaves the same bits
  return all;
}

/// Runs the same text over vectors and over containers.
template <class Case> static void compare(const char* name, std::size_t size) {
  using element = typename Case::element;
  const samples all = made();
  std::vector<element> plain(size), found(size);
  dvector<element> sums(size);
  for (int i = 0; i < n; ++i) Case::run(i, all, all.node, all.grad, plain);
  const dvector<int> node(all.node);
  const dvector<double> grad(all.grad);
  stradsap::async_for(n, [&all, &node, &grad, &sums](int i) { Case::run(i, all, node, grad, sums); });
  for (std::size_t k = 0; k < size; ++k) found[k] = sums[k];
  check(name, found == plain);
}

struct by_pointer {
  using element = bin;
  static void run(int i, const samples& all, const auto& node, const auto& grad, auto& sums) {
    bin* row = &sums[node[i] * features * bins];
    for (int f = 0; f < features; ++f) {
      row[f * bins + all.bin_of[i * features + f]].g += grad[i];
      row[f * bins + all.bin_of[i * features + f]].h += 1;
    }
  }
};
struct by_reference_in_row {
  using element = bin;
  static void run(int i, const samples& all, const auto& node, const auto& grad, auto& sums) {
    bin* row = &sums[node[i] * features * bins];
    for (int f = 0; f < features; ++f) {
      bin& b = row[f * bins + all.bin_of[i * features + f]];
      b.g += grad[i];
      b.h += grad[i] * grad[i];
    }
  }
};
struct by_subscript {
  using element = bin;
  static void run(int i, const samples& all, const auto& node, const auto& grad, auto& sums) {
    for (int f = 0; f < features; ++f) {
      bin& b = sums[(node[i] * features + f) * bins + all.bin_of[i * features + f]];
      b.g += grad[i];
      b.h += (grad[i]);
    }
  }
};
struct flat_numbers {
  using element = double;
  static void run(int i, const samples& all, const auto& node, const auto& grad, auto& sums) {
    double* row = &sums[2 * node[i] * features * bins];
    for (int f = 0; f < features; ++f) {
      const int at = 2 * (f * bins + all.bin_of[i * features + f]);
      row[at] += grad[i];
      row[at + 1] += 2;
    }
  }
};
struct least_of_column {
  using element = std::int64_t;
  static void run(int i, const samples& all, const auto& node, const auto&, auto& sums) {
    std::int64_t* row = &sums[node[i] * 256];
    for (int f = 0; f < features; ++f) {
      std::int64_t& least = row[all.bin_of[i * features + f]];
      least = std::min<std::int64_t>(least, -i);
    }
  }
};
static void add(double* row, const std::uint8_t* columns, double x) {
  for (int f = 0; f < features; ++f) row[f * bins + columns[f]] += x;
}
struct in_a_function {
  using element = double;
  static void run(int i, const samples& all, const auto& node, const auto& grad, auto& sums) {
    add(&sums[node[i] * features * bins], &all.bin_of[i * features], grad[i]);
  }
};
struct in_the_whole {
  using element = double;
  static void run(int i, const samples& all, const auto&, const auto& grad, auto& sums) {
    double* first = &sums[0];
    for (int f = 0; f < features; ++f) first[all.bin_of[i * features + f]] += grad[i];
    sums[i % bins] += 1;
  }
};

/// Few additions into a large container: it has no copies.
static void large() {
  const samples all = made();
  constexpr int rows = 4096, width = 256;
  std::vector<double> plain(rows * width);
  dvector<double> sums(rows * width);
  for (int i = 0; i < 300; ++i) plain[i * 13 % rows * width + all.bin_of[i]] += all.grad[i];
  stradsap::async_for(300, [&all, &sums](int i) {
    double* row = &sums[i * 13 % rows * width];
    row[all.bin_of[i]] += all.grad[i];
  });
  bool same = true;
  for (std::size_t k = 0; k < plain.size(); ++k) same = same && sums[k] == plain[k];
  check("large", same);
}

/// Numbers that an inner loop reads in each round.
struct pair_of {
  float a = 0, b = 0;
};
static void loaded() {
  dvector<int> out(n), rounds(n), first(n + 1);
  dvector<pair_of> pairs(n);
  for (int i = 0; i < n; ++i) {
    rounds[i] = i % 4;
    first[i + 1] = first[i] + i % 3;
    pairs[i] = {static_cast<float>(i), 2};
  }
  std::vector<int> plain(n);
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < i % 4; ++k) plain[(i * 7 + k) % n] += k * (i % 4) + i * 2;
    for (int k = 0; k < i % 3; ++k) plain[i] += k + first[i] % 5;
  }
  stradsap::async_for(n, [&out, &rounds, &first, &pairs](int i) {
    for (int k = 0; k < rounds[i]; ++k)
      out[(i * 7 + k) % n] += k * rounds[i] + static_cast<int>(pairs[i].a * (pairs[i]).b);
    int k = 0;
    while (first[i] + k < first[i + 1]) {
      const int& same = first[i];
      out[i] += k + first[i] % 5 + (same - first[i]);
      ++k;
    }
  });
  bool same = true;
  for (int i = 0; i < n; ++i) same = same && out[i] == plain[i];
  check("loaded", same);
}

/// One function for `main` and for bodies. Only `main` may give one container by two names.
static void spread(const dvector<int>& from, dvector<int>& to, int i) {
  for (int k = 0; k < 4; ++k) to[i + k] += from[i];
}
static void two_names() {
  dvector<int> one(8, 1), from(8, 1), to(8, 1);
  spread(one, one, 0);
  check("two names in main", one[0] == 2 && one[1] == 3 && one[3] == 3);
  stradsap::async_for(2, [&from, &to](int i) { spread(from, to, 4 * i); });
  check("two containers", to[0] == 2 && to[7] == 2);
}

static void beyond() {
  dvector<double> sums(nodes * bins);
  const std::vector<std::uint8_t> columns(n, 3);
  bool caught = false;
  try {
    stradsap::async_for(n, [&sums, &columns](int i) {
      double* row = &sums[i == n - 1 ? nodes * bins + 1 : i % nodes * bins];
      row[columns[i]] += 1;
    });
  } catch (const stradsap::loop_error& e) {
    caught = e.code() == stradsap::errc::out_of_range && e.iteration() == n - 1;
  }
  check("a row beyond", caught);
}

int main() {
  compare<by_pointer>("by pointer", nodes * features * bins);
  compare<by_reference_in_row>("by reference in row", nodes * features * bins);
  compare<by_subscript>("by subscript", nodes * features * bins);
  compare<flat_numbers>("flat numbers", 2 * nodes * features * bins);
  compare<least_of_column>("least of column", nodes * 256);
  compare<in_a_function>("in a function", nodes * features * bins);
  compare<in_the_whole>("in the whole", bins);
  large();
  loaded();
  two_names();
  beyond();
  return failures;
}

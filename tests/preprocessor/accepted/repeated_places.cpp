// Conditions on data that the loop writes, above accesses to elements that the iteration touches in any case.
// Their places come from std::vectors, so that a slice could not ask for them beyond the condition.
#include <cstdint>
#include <cstdio>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::async_for;
using stradsap::dvector;

struct feature {
  int at;
  int value;
};
struct compressed {
  std::vector<int64_t> first{0};
  std::vector<int> index, value;
  std::vector<std::vector<feature>> rows;
};

static compressed make(int64_t n, int width) {
  compressed made;
  for (int64_t j = 0; j < n; ++j) {
    std::vector<feature> row;
    for (int k = 0; k < 1 + j % 4; ++k) {
      const int at = static_cast<int>((j * 7 + k * 13) % width);
      made.index.push_back(at);
      made.value.push_back(k + 1);
      row.push_back({at, k + 1});
    }
    made.first.push_back(static_cast<int64_t>(made.index.size()));
    made.rows.push_back(row);
  }
  return made;
}

static int dot(const compressed& x, int64_t j, const dvector<int>& w) {
  int sum = 0;
  for (int64_t p = x.first[j]; p < x.first[j + 1]; ++p) sum += w[x.index[p]] * x.value[p];
  return sum;
}

static void add(const compressed& x, int64_t row, int by, dvector<int>& to) {
  for (int64_t q = x.first[row]; q < x.first[row + 1]; ++q) to[x.index[q]] += by * x.value[q];
}

static void perceptron(const compressed& x, int64_t j, dvector<int>& w, int& steps) {
  int z = 0;
  for (int64_t p = x.first[j]; p < x.first[j + 1]; ++p) z += w[x.index[p]] * x.value[p];
  if (z >= 100) return;
  for (int64_t p = x.first[j]; p < x.first[j + 1]; ++p) w[x.index[p]] += 100 * x.value[p];
  ++steps;
}

struct model {
  dvector<int> w;
  int score(const compressed& x, int64_t j) const { return dot(x, j, w); }
  void learn(const compressed& x, int64_t j) {
    for (const feature& f : x.rows[j]) w[f.at] += f.value;
  }
};

/// In program order and in any other serial order, each weight grows until all its samples are above the limit.
static void expect(const char* what, const compressed& x, const dvector<int>& w, int least) {
  for (int64_t j = 0; j + 1 < static_cast<int64_t>(x.first.size()); ++j) {
    const int z = dot(x, j, w);
    if (z < least) std::printf("%s: sample %d has %d\n", what, static_cast<int>(j), z);
  }
  long sum = 0;
  for (const int value : w) sum += value;
  std::printf("%s: %ld\n", what, sum);
}

int main() {
  const int64_t n = 2000;
  const int width = 61;
  const compressed x = make(n, width);
  dvector<int> flat(width), rows(width), called(width), early(width), whole(width), looped(width), alpha(n);
  model m;
  m.w.resize(width);
  int steps = 0;
  for (int pass = 0; pass < 4; ++pass) {
    async_for(n, [&](int64_t j) { perceptron(x, j, whole, steps); });
    async_for(n, [&](int64_t j) {
      int z = 0;
      for (int64_t p = x.first[j]; p < x.first[j + 1]; ++p) z += flat[x.index[p]] * x.value[p];
      if (z < 100)
        for (int64_t k = x.first[j]; k < x.first[j + 1]; ++k) flat[x.index[k]] += 100 * x.value[k];
    });
    async_for(n, [&](int64_t j) {
      int z = 0;
      for (const feature& f : x.rows[j]) z += rows[f.at] * f.value;
      if (z < 100) {
        for (const feature& one : x.rows[j]) {
          const int at = one.at;
          rows[at] += 100 * one.value;
        }
      }
    });
    async_for(n, [&](int64_t j) {
      if (dot(x, j, called) < 100) add(x, j, 100, called);
    });
    async_for(n, [&](int64_t j) {
      const int z = dot(x, j, early);
      if (z >= 100) return;
      alpha[j] += 1;
      add(x, j, 100, early);
    });
    async_for(n, [&](int64_t j) {  // within one loop
      for (int64_t p = x.first[j]; p < x.first[j + 1]; ++p) {
        if (looped[x.index[p]] < 100) looped[x.index[p]] += x.value[p];
      }
    });
    async_for(n, [&](int64_t j) {
      int z = 0;
      for (const feature& f : x.rows[j]) z += m.w[f.at] * f.value;
      if (z < 100) m.learn(x, j);
    });
  }
  expect("flat", x, flat, 100);
  expect("rows", x, rows, 100);
  expect("called", x, called, 100);
  expect("early", x, early, 100);
  expect("looped", x, looped, 1);
  expect("whole", x, whole, 100);
  expect("member", x, m.w, 1);
  for (const int a : alpha) steps -= a;
  std::printf("steps: %d\n", steps);
}

// Conditions on data that the loop writes: the slice drops them, and iterations hold more than they touch.
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::async_for;
using stradsap::dvector;

struct sample {
  std::vector<std::pair<int, int>> x;
  int y = 0;
};

static int wrong = 0;

/// Equal results of two runs on one rank prove nothing. This checks bounds that hold after any serial order.
static void expect(const char* what, long found, long least, long most) {
  if (found >= least && found <= most) return;
  std::printf("%s: %ld is not in [%ld, %ld]\n", what, found, least, most);
  ++wrong;
}

static long total(const dvector<int>& w) {
  long sum = 0;
  for (const int value : w) sum += value;
  return sum;
}

static dvector<sample> make(int64_t n) {
  dvector<sample> data(n);
  for (int64_t j = 0; j < n; ++j) {
    sample& s = data[j];
    s.y = static_cast<int>(j % 3);
    for (int k = 0; k < 3; ++k) s.x.emplace_back(static_cast<int>((j * 7 + k * 13) % 60), k + 1);
  }
  return data;
}

static long count_conditions(int64_t n, const dvector<sample>& data, dvector<int>& limits, dvector<int>& seen) {
  long conditions = 0;
  async_for(n, [&](int64_t j) {  // only a condition reads that element
    if (limits[data[j].y] > -1) ++conditions;
    seen[(j * 7 + 5) % 60] |= 0;
    limits[(j * 11 + 3) % 60] += 0;
  });
  async_for(n, [&](int64_t j) {  // two variables of one name
    const int k = static_cast<int>(j % 60);
    {
      const int k = static_cast<int>(j * 7 % 60);
      limits[k] += 0;
    }
    limits[k] += 0;
  });
  return conditions;
}

int main() {
  const int64_t n = 3000;
  const dvector<sample> data = make(n);
  dvector<int> w(60), v(60), limits(60), seen(60);
  dvector<std::pair<int, int>> largest(10);
  long updates = 0, skipped = 0, filled = 0, conditions = 0;
  for (int pass = 0; pass < 3; ++pass) {
    async_for(n, [&](int64_t j) {  // a perceptron: all features again, if the margin is small
      const sample& s = data[j];
      int z = 0;
      for (const auto& [f, value] : s.x) z += w[f] * value;
      if (z < 1000) {
        ++updates;
        for (const auto& [f, value] : s.x) w[f] += value;
      }
    });
    async_for(n, [&](int64_t j) {  // the same, with an early return
      const sample& s = data[j];
      int z = 0;
      for (auto& p : s.x) z += v[p.first] * p.second;
      if (z >= 1000) {
        ++skipped;
        return;
      }
      for (auto& q : s.x) v[q.first] += q.second;
    });
    async_for(n, [&](int64_t j) {  // each element has its own bound
      const int f = data[j].x[0].first;
      if (limits[f] < 20) limits[f] += 1;
      if (limits[f] > 10) seen[f] = 1;
    });
    async_for(n, [&](int64_t j) {  // written data end a local loop
      const sample& s = data[j];
      int steps = 0;
      for (int k = 0; k < 100; ++k) {
        ++steps;
        if (steps > limits[s.y]) break;
      }
      filled += steps;
      limits[s.y] += 0;
    });
    conditions += count_conditions(n, data, limits, seen);
    async_for(n, [&](int64_t j) {  // a whole element from temporaries of the index; the index stays unchanged
      auto& best = largest[j % 10];
      if (data[j].y + j % 7 > best.second) best = std::make_pair(int(j), data[j].y + int(j % 7));
    });
  }
  for (const auto& [where, value] : std::as_const(largest)) {
    expect("largest", value, 8, 8);
    expect("where", data[where].y + where % 7, 8, 8);
  }
  expect("updates of w", total(w), 6 * updates, 6 * updates);
  expect("updates of v", total(v), 6 * (3 * n - skipped), 6 * (3 * n - skipped));
  expect("some are skipped", skipped, 1, 3 * n - 1);
  expect("limits", total(limits), 60 * 20, 60 * 20);
  expect("seen", total(seen), 60, 60);
  expect("conditions", conditions, 3 * n, 3 * n);
  expect("steps", filled, 3 * n, 3 * n * 21);
  return wrong == 0 ? 0 : 1;
}

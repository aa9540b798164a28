// Conditions on written data that declare a variable, loops that written data end, and ranges of written data: the
// slice opens the branch, or runs the loop's body once.
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::async_for;
using stradsap::dmultimap;
using stradsap::dvector;

struct sample {
  int a = 0, b = 0;
};

static int wrong = 0;

/// Any serial order gives these.
static void expect(const char* what, double found, double wanted) {
  if (found == wanted) return;
  std::printf("%s: %g instead of %g\n", what, found, wanted);
  ++wrong;
}

static double total(const dvector<double>& w) {
  double sum = 0;
  for (const double value : w) sum += value;
  return sum;
}

static void branches(int n, const dvector<sample>& data) {
  dvector<double> w(20, 1), v(20);
  dmultimap<int, int> late;
  async_for(n, [&](int j) {
    const sample& s = data[j];
    if (const double x = w[s.a]; x < 3) w[s.a] = x + 1;
    if (const int k = (s.b + 1) % 20; w[k] > 0) v[k] += 1;
    if (double& x = w[s.b]; x >= 0) {
      const int k = (s.a + 3) % 20;
      v[k] += 1;
      x += 0;
    }
    const int k = 3;  // another variable than the one above
    v[k] += 1;
    if (w[s.a] > 0) late.insert({s.a, j});
  });
  expect("w", total(w), 60);
  expect("v", total(v), 3.0 * n);
  expect("late", static_cast<double>(late.size()), n);
}

static void loops(int n, const dvector<sample>& data) {
  dvector<double> w(20), v(20), u(20), t(20);
  dvector<std::vector<int>> rows(20);
  for (int k = 0; k < 20; ++k) rows[k] = {k, k};
  async_for(n, [&](int j) {
    const sample& s = data[j];
    const int k = 3;  // another one than below
    w[k] += 0;
    while (w[s.a] < 4) {
      for (int k = 0; k < 4; ++k) w[s.a] += 0.5;
    }
    do {
      const int next = (s.b + 1) % 20;
      v[next] += 1;
    } while (v[(s.b + 1) % 20] < 2);
    while (true) {
      if (u[s.a] >= 5) break;
      u[s.a] += 1;
    }
    for (int tries = 0; u[s.b] < 5 && tries < 10; ++tries) u[s.b] += 1;
    for (int k = s.a; t[k] < 4;) t[k] += 1;
    for (int tries = 0; tries < 1'000'000'000; ++tries) {  // as a rule it ends long before
      if (t[s.b] > 7) break;
      t[s.b] += 1;
    }
    for (const int value : rows[s.a]) u[s.b] += 0 * value;
    if (!rows[s.a].empty()) rows[s.a].pop_back();
  });
  expect("u", total(u), 100);
  expect("t", total(t), 160);
  expect("w", total(w), 80);
  expect("v", total(v), n + 20.0);
  for (const std::vector<int>& row : std::as_const(rows)) expect("rows", static_cast<double>(row.size()), 0);
}

int main() {
  constexpr int n = 1000;
  dvector<sample> data(n);
  for (int j = 0; j < n; ++j) data[j] = {j % 20, j * 7 % 20};
  branches(n, data);
  loops(n, data);
  return wrong == 0 ? 0 : 1;
}

// Copies of a loop's index in types of 32 bits count as the index, as long as all indices fit them.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <stradsap/stradsap.hpp>

#include "../printed.hpp"

using stradsap::dvector;
using stradsap::parallel_for;
namespace consistency = stradsap::consistency;
namespace schedule = stradsap::schedule;

constexpr int64_t n = 300;

static void update(dvector<double>& w, int k) { w[k] += 0.5 * k; }
static double at(const dvector<double>& w, std::uint32_t k) { return w[k]; }
static void update_in_two_steps(dvector<double>& w, std::size_t j) { update(w, static_cast<int>(j)); }

struct model {
  dvector<double> w = dvector<double>(n, 1.0);
  void step(int k) { w[k] *= 1.25; }
  void run() {
    parallel_for(n, [this](int64_t j) { step(j); }, consistency::async);
  }
};

template <class Index> static void shift(dvector<double>& w) {
  parallel_for(n, [&w](int64_t j) {
    const Index k = j;
    w[k] += 0.25 * static_cast<double>(k);
  }, consistency::async);
}

struct halves {
  dvector<double>& w;
  void operator()(int64_t j) const {
    const int32_t k(j);
    w[k] *= 0.5;
  }
};

/// Accesses at the index.
static void aligned(dvector<double>& w, const dvector<double>& v, const std::vector<double>& row) {
  parallel_for(n, [&w](int64_t j) { const int k = j; w[k] = k; }, consistency::async);
  parallel_for(n, [&w](int64_t j) { const auto k = static_cast<int>(j); w[k] += k; }, consistency::sync(16));
  parallel_for(n, [&w](int64_t j) { int k = (int)j; w.at(k) -= int(j) % 7; }, consistency::ordered);
  parallel_for(n, [&w](int64_t j) { update(w, j); }, consistency::async);
  parallel_for(n, [&w](int j) { update_in_two_steps(w, j); }, consistency::stale(1));
  parallel_for(n, [&](std::size_t j) {
    const unsigned k = j;
    const auto i = std::size_t{k};
    w[i] += v[k] * at(v, k) + row[k];
  }, consistency::async);
  parallel_for(n, [&](int64_t j) { const int k = j; w[k] += row[k]; }, consistency::async);
  parallel_for(n, [&w](int64_t j) {
    const auto twice = [&](int k) { w[k] *= 2; };
    twice(j);
  }, consistency::async);
  parallel_for(n, halves{w}, consistency::async);
}

/// A lambda that two loops call, one of them elsewhere than at its index.
static void shared_lambdas(dvector<double>& w) {
  const auto add = [&w](int k) { w[k] += 0.125; };
  const auto add_one = [&w](int64_t j) { w[j] += 1; };
  parallel_for(n, [&add](int64_t j) { add(j); }, consistency::async);
  parallel_for(n, [&add_one](int64_t j) { add_one(j); }, consistency::async);
  parallel_for(n / 3, [&add_one](int64_t j) { add_one(j * 3); add_one(j); }, consistency::async);
}

/// Computed places: a wrapping type, a changed copy, another number, a lambda that others call.
static void computed(dvector<double>& w) {
  parallel_for(n, [&w](int64_t j) { const uint8_t k = j; w[k] += k; }, consistency::async);
  parallel_for(n, [&w](int64_t j) { w[static_cast<short>(j)] += 1; }, consistency::async);
  parallel_for(n - 1, [&w](int64_t j) { int k = j; ++k; w[k] += 1; }, consistency::async);
  parallel_for(n, [&w](int64_t j) { const int k = static_cast<int>(j) / 2; w[k] += k; }, consistency::async);
  parallel_for(n - 1, [&w](int64_t j) {
    const auto add = [&w](int k) { w[k] += 1; };
    add(j);
    add(j + 1);
  }, consistency::async);
}

/// Sums over other elements in an inner loop, then a write at the index.
static void sums(const std::vector<std::vector<int>>& rows, dvector<double>& w, dvector<double>& to) {
  parallel_for(n, [&](int64_t j) {
    const int k = j;
    double sum = to[k];
    for (const int i : rows[k]) sum += w[i];
    to[k] = sum;
  }, consistency::async);
}

static double fixed_point(const dvector<double>& w) {
  dvector<double> x(n, 0.0);
  parallel_for(n, [&](int64_t j) {
    const int k = j;
    x[k] = 0.5 * x[(j + 1) % n] + w[k];
  }, consistency::async, schedule::dynamic().until(1e-9).passes(200));
  double worst = 0;
  for (int64_t j = 0; j < n; ++j) worst = std::max(worst, std::abs(x[j] - 0.5 * x[(j + 1) % n] - w[j]));
  return worst;
}

int main() {
  dvector<double> w(n), v(n), to(n);
  for (int64_t j = 0; j < n; ++j) v[j] = 0.125 * static_cast<double>(j % 9);
  std::vector<double> row(n, 2.5);
  std::vector<std::vector<int>> rows(n);
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < 9; ++i) rows[j].push_back((j * 7 + i * i) % n);
  }
  aligned(w, v, row);
  shared_lambdas(w);
  computed(w);
  model m;
  m.run();
  shift<int>(w);
  shift<std::uint32_t>(w);
  shift<int64_t>(w);
  sums(rows, w, to);
  printed::print_elements("w", w);
  printed::print_elements("m.w", m.w);
  printed::print_elements("to", to);
  return fixed_point(w) > 1e-5 ? 1 : 0;
}

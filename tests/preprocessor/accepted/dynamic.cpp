// Coordinate descent by the dynamic scheduler: one loop is a whole solve. The sequential program runs passes
// over all iterations. Both end at the optimum, which main proves by the optimality conditions.
#include <stradsap/stradsap.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

using stradsap::dvector;
using stradsap::parallel_for;
namespace consistency = stradsap::consistency;
namespace schedule = stradsap::schedule;

struct entry {
  int row;
  double value;
};

constexpr int rows = 200;
constexpr double lambda = 12;

/// Sparse columns; neighbours are alike, and every tenth one is empty.
static void make(dvector<std::vector<entry>>& columns, dvector<double>& residual) {
  for (int64_t j = 0; j < static_cast<int64_t>(columns.size()); ++j) {
    if (j % 10 == 9) continue;
    for (int i = static_cast<int>(j % 7); i < rows; i += 7)
      columns[j].push_back({i, std::sin(static_cast<double>(j / 3 * 31 + i * 17)) + 0.1 * static_cast<double>(j % 3)});
  }
  for (int i = 0; i < rows; ++i) residual[i] = 5 * std::cos(i) + i % 7;
}

static double product(const std::vector<entry>& column, const dvector<double>& x) {
  double sum = 0;
  for (const entry& e : column) sum += e.value * x[e.row];
  return sum;
}

/// The greatest violation of the optimality conditions of the lasso.
static double violation(const dvector<std::vector<entry>>& columns, const dvector<double>& residual,
                        const dvector<double>& beta) {
  double worst = 0;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const double slope = product(columns[j], residual);
    const double wanted = beta[j] > 0 ? lambda : -lambda;
    worst = std::max(worst, beta[j] == 0 ? std::abs(slope) - lambda : std::abs(slope - wanted));
  }
  return worst;
}

static void solve_lasso(int64_t n, const stradsap::ConsistencyModel& model, schedule::dynamic_schedule how) {
  dvector<std::vector<entry>> columns(n);
  dvector<double> residual(rows), beta(n), norm2(n);
  make(columns, residual);
  for (int64_t j = 0; j < n; ++j) {
    for (const entry& e : columns[j]) norm2[j] += e.value * e.value;
  }
  parallel_for("lasso", n, [&](int64_t j) {
    if (norm2[j] == 0) return;
    const double slope = product(columns[j], residual) + norm2[j] * beta[j];
    const double size = std::max(std::abs(slope) - lambda, 0.0) / norm2[j];
    const double change = std::copysign(size, slope) - beta[j];
    if (change == 0) return;
    for (const entry& e : columns[j]) residual[e.row] -= change * e.value;
    beta[j] += change;
  }, model, how);
  double squares = 0, absolutes = 0;
  for (const double b : beta) absolutes += std::abs(b);
  for (const double r : residual) squares += r * r;
  std::printf("lasso of %d: optimal=%d objective=%.6f\n", static_cast<int>(n),
              violation(columns, residual, beta) < 1e-5 ? 1 : 0, squares / 2 + lambda * absolutes);
}

/// An element may be a struct. Its changes count number by number.
struct pair_of {
  std::array<double, 2> at{};
  bool seen = false;
};

static void halve(int64_t n) {
  dvector<pair_of> all(n);
  for (int64_t j = 0; j < n; ++j) all[j].at = {static_cast<double>(j), 1};
  parallel_for(n, [&all](int64_t j) {
    pair_of& one = all[j];
    one.seen = true;
    for (double& x : one.at) x = x / 2 + 1;
  }, consistency::approximate, schedule::dynamic().passes(200).until(0));
  double worst = 0;
  for (const pair_of& one : all) {
    for (const double x : one.at) worst = std::max(worst, std::abs(x - 2));
    worst += one.seen ? 0 : 1;
  }
  std::printf("halves of %d: worst=%.3f\n", static_cast<int>(n), worst);
}

/// Limits are exact: so many calls of the body.
static void count_updates(int64_t n, schedule::dynamic_schedule how) {
  dvector<int64_t> calls(n);
  int64_t total = 0;
  parallel_for(n, [&calls, &total](int64_t j) {
    calls[j] += 1;
    total += 1;
  }, consistency::async, how);
  int64_t sum = 0;
  for (const int64_t c : calls) sum += c;
  std::printf("updates of %d: %d, sum=%d\n", static_cast<int>(n), static_cast<int>(total), static_cast<int>(sum));
}

int main() {
  const auto limited = schedule::dynamic().passes(3000);
  solve_lasso(300, consistency::approximate, limited.until(1e-9));
  solve_lasso(40, consistency::async, limited.until(1e-12));
  solve_lasso(1, consistency::approximate, limited.until(1e-9));
  solve_lasso(0, consistency::approximate, limited);
  halve(500);
  count_updates(100, schedule::dynamic().passes(3));
  count_updates(100, schedule::dynamic().updates(1250));
  count_updates(100, schedule::dynamic().passes(20).updates(70));
  parallel_for(2, [](int64_t) {}, consistency::async, schedule::static_());
  return 0;
}

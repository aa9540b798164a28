// The lasso by coordinate descent over the columns of a sparse matrix; the residual is kept up to date.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

struct Entry {
  int row;
  float value;
};
using Column = std::vector<Entry>;

static double soft_threshold(double x, double lambda) {
  if (x > lambda) return x - lambda;
  if (x < -lambda) return x + lambda;
  return 0;
}

static stradsap::dvector<Column> make_columns(int64_t n, int rows, std::mt19937& engine) {
  std::normal_distribution<float> normal;
  stradsap::dvector<Column> X(n);
  for (Column& column : X) {
    for (int i = 0; i < 30; ++i) column.push_back({static_cast<int>(engine() % rows), normal(engine)});
  }
  return X;
}

int main(int argc, char** argv) {
  const int64_t n = argc > 1 ? std::atoll(argv[1]) : 1'000'000;
  const int rows = static_cast<int>(n / 2) + 50;
  std::mt19937 engine(5);
  const auto X = make_columns(n, rows, engine);
  stradsap::dvector<double> beta(n), residual(rows);
  for (int64_t j = 0; j < n; j += 20) {
    for (const auto& [row, value] : X[j]) residual[row] += 2 * value;  // y, as all coefficients are 0
  }

  const double lambda = 5;
  double first = 0, objective = 0;
  for (int sweep = 0; sweep < 3; ++sweep) {
    int64_t changed = 0;
    stradsap::parallel_for(
        n,
        [lambda, &X, &beta, &residual, &changed](int64_t j) {
          const Column& x = X[j];
          double rho = 0, norm = 0;
          for (const Entry& e : x) {
            rho += e.value * residual[e.row];
            norm += e.value * e.value;
          }
          const double updated = soft_threshold(rho + norm * beta[j], lambda) / norm;
          const double delta = updated - beta[j];
          if (delta != 0) {
            for (const Entry& e : x) residual[e.row] -= delta * e.value;
            beta[j] = updated;
            ++changed;
          }
        },
        stradsap::consistency::async);
    objective = 0;
    for (const double r : std::as_const(residual)) objective += 0.5 * r * r;
    for (const double b : std::as_const(beta)) objective += lambda * std::abs(b);
    if (sweep == 0) first = objective;
    std::printf("sweep=%d changed=%lld objective=%.17g\n", sweep, static_cast<long long>(changed), objective);
  }
  return objective < first ? 0 : 1;
}

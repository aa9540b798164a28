// The elastic nets along a path of penalties, by coordinate descent over dense columns, on StradsAP.
//
// Each penalty starts from the solution of the one before, on a working set of columns: those that are not
// zero, and those that the strong rules name. One loop solves for them: its scheduler repeats the
// coefficients that change. Bounds prove that most other columns stay zero, and the rest are checked.
// Friedman, Hastie, Tibshirani: Regularization paths for generalized linear models via coordinate descent,
// 2010. Tibshirani, Bien, Friedman, Hastie, Simon, Taylor, Tibshirani: Strong rules for discarding predictors
// in lasso-type problems, 2012. Ndiaye, Fercoq, Gramfort, Salmon: Gap safe screening rules for sparsity
// enforcing penalties, 2017. Massias, Gramfort, Salmon: Celer: a fast solver for the lasso with dual
// extrapolation, 2018.
//
//   stradsap-cc -std=c++20 -O3 -march=native elastic_net_path.cpp -o elastic_net_path
//   ./elastic_net_path --rows 200 --columns 10000 --steps 50
//   ./elastic_net_path --data gordon --steps 100 --alpha 1

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <stradsap/stradsap.hpp>

#include "working_set.hpp"

struct Options {
  std::string data;  // in LIBSVM's format, labels are the targets; empty: generated
  int64_t rows = 200, columns = 10000;
  int steps = 50;
  float alpha = 0.9f;       // the part of the penalty on absolute values; the rest is on squares
  float least = 0.01f;      // last penalty, as a part of the first
  double tolerance = 1e-5;  // of changes, as a part of the greatest coefficient
  std::string save;         // folder for the last coefficients, or empty
};

static Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--data") == 0) options.data = argv[i + 1];
    if (std::strcmp(argv[i], "--rows") == 0) options.rows = std::atoll(argv[i + 1]);
    if (std::strcmp(argv[i], "--columns") == 0) options.columns = std::atoll(argv[i + 1]);
    if (std::strcmp(argv[i], "--steps") == 0) options.steps = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--alpha") == 0) options.alpha = std::atof(argv[i + 1]);
    if (std::strcmp(argv[i], "--least") == 0) options.least = std::atof(argv[i + 1]);
    if (std::strcmp(argv[i], "--tolerance") == 0) options.tolerance = std::atof(argv[i + 1]);
    if (std::strcmp(argv[i], "--save") == 0) options.save = argv[i + 1];
  }
  return options;
}

/// Columns in groups of ten that are alike. `y` follows from one column in a hundred, and noise.
static void make_columns(auto& X, auto& y, int64_t columns) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  const int64_t rows = y.size();
  std::vector<float> common(rows);
  for (auto& target : y) target = normal(random);
  for (int64_t j = 0; j < columns; ++j) {
    if (j % 10 == 0) {
      for (float& c : common) c = normal(random);
    }
    const float beta = random() % 100 == 0 ? normal(random) : 0;
    for (int64_t i = 0; i < rows; ++i) {
      X[j * rows + i] = common[i] + 0.5f * normal(random);
      y[i] += beta * X[j * rows + i];
    }
  }
}

/// Lines `target index:value index:value ...`, with indices from 1. Returns the number of columns.
static int64_t read_columns(auto& X, auto& y, const std::string& path) {
  const auto [targets, rows] = stradsap::read_libsvm<float>(path);
  y = targets;
  X.resize(rows.columns * rows.rows);
  for (int64_t i = 0; i < rows.rows; ++i) {
    for (int64_t k = rows.indptr[i]; k < rows.indptr[i + 1]; ++k)
      X[rows.index[k] * rows.rows + i] = rows.value[k];
  }
  return rows.columns;
}

/// Gives each column, and the targets, the mean 0. Columns get the mean square 1.
static void standardise(auto& X, auto& y) {
  const int64_t rows = y.size(), columns = X.size() / rows;
  double mean = 0;
  for (const float target : y) mean += target / rows;
  for (auto& target : y) target -= mean;
  for (int64_t j = 0; j < columns; ++j) {
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < rows; ++i) sum += X[j * rows + i];
    for (int64_t i = 0; i < rows; ++i)
      squares += (X[j * rows + i] - sum / rows) * (X[j * rows + i] - sum / rows);
    const double scale = squares > 0 ? std::sqrt(rows / squares) : 0;
    for (int64_t i = 0; i < rows; ++i) X[j * rows + i] = (X[j * rows + i] - sum / rows) * scale;
  }
}

/// The mean product of a column and the residual.
static float slope(const float* x, const auto& residual) {
  float sum = 0;
  const int64_t rows = residual.size();
  for (int64_t i = 0; i < rows; ++i) sum += x[i] * residual[i];
  return sum / rows;
}

/// The greatest violation of the optimality conditions, as a part of the penalty.
static double violation(const auto& X, const auto& residual, const auto& beta, float l1, float l2) {
  double worst = 0;
  for (std::size_t j = 0; j < beta.size(); ++j) {
    const double gradient = slope(&X[j * residual.size()], residual) - l2 * beta[j];
    const double off =
        beta[j] == 0 ? std::abs(gradient) - l1 : std::abs(gradient - std::copysign(l1, beta[j]));
    worst = std::max(worst, off);
  }
  return worst == 0 ? 0 : worst / (l1 + l2);
}

/// Solves for the columns of a working set; returns the updates.
static int64_t solve(const std::vector<float>& X, auto& residual, std::vector<float>& beta,
                     const std::vector<int64_t>& working_set, float l1, float l2, double tolerance) {
  const int64_t n = residual.size();
  stradsap::dvector<float> part(working_set.size());
  for (std::size_t k = 0; k < working_set.size(); ++k) part[k] = beta[working_set[k]];
  int64_t updates = 0;
  stradsap::parallel_for(
      working_set.size(),
      [&](int64_t k) {
        const float* x = &X[working_set[k] * n];
        const float whole = slope(x, residual) + part[k];
        const float size = std::max(std::abs(whole) - l1, 0.0f) / (1 + l2);
        const float step = std::copysign(size, whole) - part[k];
        if (step != 0) {
          for (int64_t i = 0; i < n; ++i) residual[i] -= step * x[i];
          part[k] += step;
        }
        updates += 1;
      },
      stradsap::consistency::approximate, stradsap::schedule::dynamic().until(tolerance));
  for (std::size_t k = 0; k < working_set.size(); ++k) beta[working_set[k]] = part[k];
  return updates;
}

static double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int main(int argc, char** argv) try {
  Options options = parse_options(argc, argv);
  std::vector<float> X;
  stradsap::dvector<float> residual;
  if (options.data.empty()) {
    X.resize(options.rows * options.columns);
    residual.resize(options.rows);
    make_columns(X, residual, options.columns);
  } else {
    options.columns = read_columns(X, residual, options.data);
  }
  standardise(X, residual);
  const int64_t n = residual.size(), m = options.columns;
  std::vector<float> beta(m);
  const double begin = seconds_now();
  // columns have the mean square 1, and slopes are means
  const std::vector<float> reach(m, 1 / std::sqrt(static_cast<float>(n)));
  SlopeBounds bounds(residual, reach, [&](int64_t j, const auto& r) { return slope(&X[j * n], r); });
  const float first = bounds.greatest() / options.alpha;

  double total = seconds_now() - begin;
  float l1_before = first * options.alpha;
  for (int step = 0; step < options.steps; ++step) {
    const float penalty = first * std::pow(options.least, (step + 1.0f) / options.steps);
    const float l1 = penalty * options.alpha, l2 = penalty * (1 - options.alpha);
    const double start = seconds_now();
    int64_t products = bounds.num_products();
    const auto solve_for = [&](const std::vector<int64_t>& working_set, double tolerance) {
      return solve(X, residual, beta, working_set, l1, l2, tolerance);
    };
    const int64_t updates =
        solve_on_working_set(bounds, residual, beta, l1, l1_before, options.tolerance, solve_for);
    l1_before = l1;
    products = bounds.num_products() - products;
    total += seconds_now() - start;
    const int64_t nonzero = m - std::count(beta.begin(), beta.end(), 0.0f);
    std::printf("step=%d penalty=%.5f nonzero=%ld updates=%ld seconds=%.4f violation=%.1e checked=%ld\n",
                step, penalty, nonzero, updates, total, violation(X, residual, beta, l1, l2), products);
  }
  if (!options.save.empty()) stradsap::save_jsonl(options.save, "beta", beta);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}

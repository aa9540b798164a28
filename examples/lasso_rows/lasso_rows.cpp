// A lasso over data by rows, by coordinate descent, on StradsAP.
//
// A set of columns that hardly correlate is updated at once: ranks sum these columns over their rows, main
// finds the steps, and ranks add the steps to their residuals. The dynamic scheduler chooses the sets.
// Friedman, Hastie, Tibshirani: Regularization paths for generalized linear models via coordinate descent,
// 2010.
//
//   stradsap-cc -std=c++20 -O3 -march=native lasso_rows.cpp -o lasso_rows
//   ./lasso_rows --rows 20000 --columns 1000 --penalty 0.1

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <numeric>
#include <random>
#include <vector>

#include <stradsap/stradsap.hpp>

struct Row {
  float residual;  // the target, without the predictions of all columns
  std::vector<float> x;
};

struct Options {
  int64_t rows = 20000, columns = 1000;
  double penalty = 0.1;     // a part of the least penalty for which all coefficients are zero
  int64_t set = 64;         // columns that are updated at once
  double tolerance = 1e-5;  // of changes, as a part of the greatest coefficient
};

static Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--rows") == 0) options.rows = std::atoll(argv[i + 1]);
    if (std::strcmp(argv[i], "--columns") == 0) options.columns = std::atoll(argv[i + 1]);
    if (std::strcmp(argv[i], "--penalty") == 0) options.penalty = std::atof(argv[i + 1]);
    if (std::strcmp(argv[i], "--set") == 0) options.set = std::atoll(argv[i + 1]);
    if (std::strcmp(argv[i], "--tolerance") == 0) options.tolerance = std::atof(argv[i + 1]);
  }
  return options;
}

/// Columns in groups of five that are alike. Targets follow from one column in fifty, and noise.
static void make_rows(auto& rows, int64_t columns) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> truth(columns);
  for (int64_t j = 0; j < columns; j += 50) truth[j] = normal(random);
  for (auto& row : rows) {
    row.residual = normal(random);
    float common = 0;
    for (int64_t j = 0; j < columns; ++j) {
      if (j % 5 == 0) common = normal(random);
      row.x.push_back(common + 0.7f * normal(random));
      row.residual += truth[j] * row.x[j];
    }
  }
}

/// The products of all columns with the residuals.
static void add_slopes(auto& rows, auto& slope) {
  stradsap::async_for(rows.size(), [&](int64_t i) {
    const Row& row = rows[i];
    for (std::size_t j = 0; j < row.x.size(); ++j) slope[j] += row.x[j] * row.residual;
  });
}

/// The greatest violation of the optimality conditions, as a part of the penalty.
static double violation(const auto& slope, const std::vector<float>& beta, double penalty) {
  double worst = 0;
  for (std::size_t j = 0; j < beta.size(); ++j) {
    const double off =
        beta[j] == 0 ? std::abs(slope[j]) - penalty : std::abs(slope[j] - std::copysign(penalty, beta[j]));
    worst = std::max(worst, off);
  }
  return worst / penalty;
}

/// The columns of some rows, scaled to the norm 1.
static std::vector<std::vector<float>> sampled_columns(const auto& rows, int64_t columns) {
  const std::size_t size = std::min(rows.size(), std::size_t{1000});
  std::vector<std::vector<float>> sample(columns, std::vector<float>(size));
  for (int64_t j = 0; j < columns; ++j) {
    double squares = 0;
    for (std::size_t i = 0; i < size; ++i) squares += rows[i].x[j] * rows[i].x[j];
    for (std::size_t i = 0; i < size; ++i) sample[j][i] = rows[i].x[j] / std::sqrt(squares);
  }
  return sample;
}

static double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int main(int argc, char** argv) try {
  const Options options = parse_options(argc, argv);
  const int64_t m = options.columns;
  stradsap::dvector<Row> rows(options.rows);
  make_rows(rows, m);
  const std::vector<std::vector<float>> sample = sampled_columns(rows, m);
  stradsap::dvector<double> slope(m), norm(m), sums(options.set);
  std::vector<float> beta(m);
  add_slopes(rows, slope);
  stradsap::async_for(rows.size(), [&](int64_t i) {
    const Row& row = rows[i];
    for (std::size_t j = 0; j < row.x.size(); ++j) norm[j] += row.x[j] * row.x[j];
  });
  double penalty = 0;
  for (const double s : slope) penalty = std::max(penalty, options.penalty * std::abs(s));

  const double start = seconds_now();
  const auto correlation = [&sample](int64_t a, int64_t b) {
    return std::inner_product(sample[a].begin(), sample[a].end(), sample[b].begin(), 0.0f);
  };
  auto solve = stradsap::schedule::dynamic().until(options.tolerance).depends(correlation, 0.15).over(m);
  for (auto set = solve.next(options.set); !set.empty(); set = solve.next(options.set)) {  // schedule
    const std::size_t size = set.size();
    std::fill(sums.begin(), sums.end(), 0.0);
    stradsap::async_for(rows.size(), [&](int64_t i) {  // push
      const Row& row = rows[i];
      for (std::size_t k = 0; k < size; ++k) sums[k] += row.x[set[k]] * row.residual;
    });
    std::vector<float> step(size);
    for (std::size_t k = 0; k < size; ++k) {  // pull
      const int64_t j = set[k];
      const double whole = norm[j] * beta[j] + sums[k];
      const double magnitude = std::max(std::abs(whole) - penalty, 0.0) / norm[j];
      step[k] = std::copysign(magnitude, whole) - beta[j];
      beta[j] += step[k];
      solve.changed(j, step[k], beta[j]);
    }
    if (std::count(step.begin(), step.end(), 0.0f) == std::ssize(step)) continue;
    stradsap::async_for(rows.size(), [&](int64_t i) {
      Row& row = rows[i];
      for (std::size_t k = 0; k < size; ++k) row.residual -= step[k] * row.x[set[k]];
    });
  }
  const double seconds = seconds_now() - start;
  double objective = 0;
  for (const Row& row : rows) objective += 0.5 * row.residual * row.residual;
  for (const float b : beta) objective += penalty * std::abs(b);
  std::fill(slope.begin(), slope.end(), 0.0);
  add_slopes(rows, slope);
  std::printf("updates=%ld seconds=%.4f objective=%.8g nonzero=%ld violation=%.1e\n", long(solve.updates()),
              seconds, objective, m - std::count(beta.begin(), beta.end(), 0.0f),
              violation(slope, beta, penalty));
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}

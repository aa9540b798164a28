// A lasso over data by rows, by coordinate descent, sequentially.
//
// An update sums a column of all rows, and adds the step to all residuals. Passes over the columns go on
// until coefficients hardly change. Friedman, Hastie, Tibshirani: Regularization paths for generalized linear
// models via coordinate descent, 2010.
//
//   g++ -std=c++20 -O3 -march=native sequential.cpp -o sequential
//   ./sequential --rows 20000 --columns 1000 --penalty 0.1

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <random>
#include <vector>

struct Row {
  float residual;  // the target, without the predictions of all columns
  std::vector<float> x;
};

struct Options {
  int64_t rows = 20000, columns = 1000;
  double penalty = 0.1;     // a part of the least penalty for which all coefficients are zero
  double tolerance = 1e-5;  // of changes, as a part of the greatest coefficient
};

static Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--rows") == 0) options.rows = std::atoll(argv[i + 1]);
    if (std::strcmp(argv[i], "--columns") == 0) options.columns = std::atoll(argv[i + 1]);
    if (std::strcmp(argv[i], "--penalty") == 0) options.penalty = std::atof(argv[i + 1]);
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
static void add_slopes(const auto& rows, auto& slope) {
  for (const Row& row : rows) {
    for (std::size_t j = 0; j < row.x.size(); ++j) slope[j] += row.x[j] * row.residual;
  }
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

static double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int main(int argc, char** argv) try {
  const Options options = parse_options(argc, argv);
  const int64_t m = options.columns;
  std::vector<Row> rows(options.rows);
  make_rows(rows, m);
  std::vector<double> slope(m), norm(m);
  std::vector<float> beta(m);
  add_slopes(rows, slope);
  for (const Row& row : rows) {
    for (int64_t j = 0; j < m; ++j) norm[j] += row.x[j] * row.x[j];
  }
  double penalty = 0;
  for (const double s : slope) penalty = std::max(penalty, options.penalty * std::abs(s));

  const double start = seconds_now();
  int64_t updates = 0;
  for (double change = 1, greatest = 0; change > options.tolerance * greatest;) {
    change = greatest = 0;
    for (int64_t j = 0; j < m; ++j) {
      double whole = norm[j] * beta[j];
      for (const Row& row : rows) whole += row.x[j] * row.residual;
      const double size = std::max(std::abs(whole) - penalty, 0.0) / norm[j];
      const float step = std::copysign(size, whole) - beta[j];
      if (step != 0) {
        for (Row& row : rows) row.residual -= step * row.x[j];
      }
      beta[j] += step;
      change = std::max(change, static_cast<double>(std::abs(step)));
      greatest = std::max(greatest, static_cast<double>(std::abs(beta[j])));
    }
    updates += m;
  }
  const double seconds = seconds_now() - start;
  double objective = 0;
  for (const Row& row : rows) objective += 0.5 * row.residual * row.residual;
  for (const float b : beta) objective += penalty * std::abs(b);
  std::fill(slope.begin(), slope.end(), 0.0);
  add_slopes(rows, slope);
  std::printf("updates=%ld seconds=%.4f objective=%.8g nonzero=%ld violation=%.1e\n", updates, seconds,
              objective, m - std::count(beta.begin(), beta.end(), 0.0f), violation(slope, beta, penalty));
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}

// The lasso by coordinate descent over sparse columns, on StradsAP.
//
// A pass solves for one coefficient at a time, with all others fixed, and keeps the residual of each row.
// Friedman, Hastie, Tibshirani: Regularization paths for generalized linear models via coordinate descent,
// 2010.
//
//   stradsap-cc -std=c++20 -O3 -march=native lasso.cpp -o lasso
//   ./lasso --rows 20000 --columns 10000 --lambda 0.01 --passes 10
//   ./lasso --data gordon --passes 10

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

struct Entry {
  int row;
  float value;
};

using Column = std::vector<Entry>;

struct Options {
  std::string data;  // in LIBSVM's format, labels are the targets; empty: generated
  int64_t rows = 20000, columns = 10000;
  int passes = 10;
  float lambda = 0.01f;
  std::string save;  // folder for the coefficients, or empty
};

static Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--data") == 0) options.data = argv[i + 1];
    if (std::strcmp(argv[i], "--rows") == 0) options.rows = std::atoll(argv[i + 1]);
    if (std::strcmp(argv[i], "--columns") == 0) options.columns = std::atoll(argv[i + 1]);
    if (std::strcmp(argv[i], "--passes") == 0) options.passes = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--lambda") == 0) options.lambda = std::atof(argv[i + 1]);
    if (std::strcmp(argv[i], "--save") == 0) options.save = argv[i + 1];
  }
  return options;
}

/// Columns with Zipf numbers of entries and a squared norm of one a row on average. `y` follows from one
/// column in fifty, and noise.
static void make_columns(auto& columns, auto& y) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform;
  std::normal_distribution<double> normal;
  const int64_t rows = y.size();
  for (auto& target : y) target = normal(random);
  for (auto& column : columns) {
    const double density = 0.5 * std::pow(0.002, uniform(random));
    const double beta = random() % 50 == 0 ? normal(random) : 0;
    for (int64_t row = std::log(1 - uniform(random)) / std::log(1 - density); row < rows;
         row += 1 + static_cast<int64_t>(std::log(1 - uniform(random)) / std::log(1 - density))) {
      column.push_back({static_cast<int>(row), static_cast<float>(normal(random) / std::sqrt(density))});
      y[row] += beta * column.back().value;
    }
  }
}

/// The half of the mean squared residual, and the penalty.
static double objective(const auto& residual, const auto& beta, float lambda) {
  double squares = 0, penalty = 0;
  for (const float r : residual) squares += r * r;
  for (const float b : beta) penalty += std::abs(b);
  return squares / 2 / residual.size() + lambda * penalty;
}

/// Rows `target index:value index:value ...`, with indices from 1.
static void read_columns(auto& columns, auto& y, const std::string& path) {
  const auto [targets, rows] = stradsap::read_libsvm<float>(path);
  y = targets;
  columns.resize(rows.columns);
  for (int i = 0; i < rows.rows; ++i) {
    for (int64_t k = rows.indptr[i]; k < rows.indptr[i + 1]; ++k)
      columns[rows.index[k]].push_back({i, rows.value[k]});
  }
}

static double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int main(int argc, char** argv) try {
  const Options options = parse_options(argc, argv);
  stradsap::dvector<Column> columns;
  stradsap::dvector<float> residual;
  if (options.data.empty()) {
    columns.resize(options.columns);
    residual.resize(options.rows);
    make_columns(columns, residual);
  } else {
    read_columns(columns, residual, options.data);
  }
  const int64_t n = residual.size(), m = columns.size();
  const float threshold = options.lambda * n;
  stradsap::dvector<float> beta(m), norm(m);
  for (int64_t j = 0; j < m; ++j) {
    for (const Entry& e : columns[j]) norm[j] += e.value * e.value;
  }

  for (int pass = 0; pass < options.passes; ++pass) {
    const double start = seconds_now();
    stradsap::async_for(m, [&](int64_t j) {
      if (norm[j] == 0) return;
      float product = norm[j] * beta[j];
      for (const Entry& e : columns[j]) product += e.value * residual[e.row];
      const float size = std::max(std::abs(product) - threshold, 0.0f) / norm[j];
      const float change = std::copysign(size, product) - beta[j];
      if (change != 0) {
        for (const Entry& e : columns[j]) residual[e.row] -= change * e.value;
        beta[j] += change;
      }
    });
    const double seconds = seconds_now() - start;
    const double value = objective(residual, beta, options.lambda);
    std::printf("pass=%d seconds=%.6f objective=%.6g\n", pass, seconds, value);
    stradsap::report("objective", value);
  }
  if (!options.save.empty()) stradsap::save_jsonl(options.save, "beta", beta);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}

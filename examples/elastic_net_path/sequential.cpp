// The elastic nets along a path of penalties, by coordinate descent over dense columns, sequentially.
//
// Each penalty starts from the solution of the one before. Sweeps over all coefficients go on until they
// hardly change. Friedman, Hastie, Tibshirani: Regularization paths for generalized linear models via
// coordinate descent, 2010.
//
//   g++ -std=c++20 -O3 -march=native sequential.cpp -o sequential
//   ./sequential --rows 200 --columns 10000 --steps 50
//   ./sequential --data gordon --steps 100 --alpha 1

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

struct Options {
  std::string data;  // in LIBSVM's format, labels are the targets; empty: generated
  int64_t rows = 200, columns = 10000;
  int steps = 50;
  float alpha = 0.9f;       // the part of the penalty on absolute values; the rest is on squares
  float least = 0.01f;      // last penalty, as a part of the first
  double tolerance = 1e-5;  // of changes, as a part of the greatest coefficient
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
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<std::vector<std::pair<int64_t, float>>> rows;
  int64_t columns = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    float target = 0;
    if (!(words >> target))
      throw std::runtime_error(path + ": no target in line " + std::to_string(rows.size() + 1));
    y.push_back(target);
    rows.emplace_back();
    char colon = 0;
    for (std::pair<int64_t, float> e; words >> e.first >> colon >> e.second;) {
      rows.back().push_back({e.first - 1, e.second});
      columns = std::max(columns, e.first);
    }
  }
  X.resize(columns * rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const auto& [j, value] : rows[i]) X[j * rows.size() + i] = value;
  }
  return columns;
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

static double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int main(int argc, char** argv) try {
  Options options = parse_options(argc, argv);
  std::vector<float> X, residual;
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
  float first = 0;
  for (int64_t j = 0; j < m; ++j)
    first = std::max(first, std::abs(slope(&X[j * n], residual)) / options.alpha);

  double total = seconds_now() - begin;
  for (int step = 0; step < options.steps; ++step) {
    const float penalty = first * std::pow(options.least, (step + 1.0f) / options.steps);
    const float l1 = penalty * options.alpha, l2 = penalty * (1 - options.alpha);
    const double start = seconds_now();
    int64_t updates = 0;
    for (double change = 1, greatest = 0; change > options.tolerance * greatest;) {
      change = greatest = 0;
      for (int64_t j = 0; j < m; ++j) {
        const float* x = &X[j * n];
        const float whole = slope(x, residual) + beta[j];
        const float size = std::max(std::abs(whole) - l1, 0.0f) / (1 + l2);
        const float step = std::copysign(size, whole) - beta[j];
        if (step != 0) {
          for (int64_t i = 0; i < n; ++i) residual[i] -= step * x[i];
          beta[j] += step;
        }
        change = std::max(change, static_cast<double>(std::abs(step)));
        greatest = std::max(greatest, static_cast<double>(std::abs(beta[j])));
      }
      updates += m;
    }
    total += seconds_now() - start;
    const int64_t nonzero = m - std::count(beta.begin(), beta.end(), 0.0f);
    std::printf("step=%d penalty=%.5f nonzero=%ld updates=%ld seconds=%.4f violation=%.1e\n", step, penalty,
                nonzero, updates, total, violation(X, residual, beta, l1, l2));
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}

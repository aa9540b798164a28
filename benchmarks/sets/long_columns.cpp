// A lasso with dense columns of many rows, by the dynamic scheduler: one update after the other, or in sets.
//
//   ./long_columns --sets 0|1 --size 64 --depth 0 --rows 100000 --columns 400 --correlation 0.5 --solves 1
//                  --sample 256
//
// --sample: the rows from which the correlation of two columns is found.
// Prints the seconds of the last solve, and the CPU seconds of its busiest thread on rank 0: on a machine
// without other work both are about equal. From the second solve on, all ranks have the columns.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#include <stradsap/stradsap.hpp>

#include "usage.hpp"

struct Options {
  bool sets = true;
  int64_t rows = 100000, columns = 400, depth = 0, size = 0, solves = 1, sample = 256;
  float correlation = 0.5f, penalty = 0.02f;
};

static Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--sets") == 0) options.sets = std::atoi(argv[i + 1]) != 0;
    if (std::strcmp(argv[i], "--depth") == 0) options.depth = std::atoll(argv[i + 1]);
    if (std::strcmp(argv[i], "--size") == 0) options.size = std::atoll(argv[i + 1]);
    if (std::strcmp(argv[i], "--solves") == 0) options.solves = std::atoll(argv[i + 1]);
    if (std::strcmp(argv[i], "--rows") == 0) options.rows = std::atoll(argv[i + 1]);
    if (std::strcmp(argv[i], "--sample") == 0) options.sample = std::atoll(argv[i + 1]);
    if (std::strcmp(argv[i], "--columns") == 0) options.columns = std::atoll(argv[i + 1]);
    if (std::strcmp(argv[i], "--correlation") == 0) options.correlation = std::atof(argv[i + 1]);
    if (std::strcmp(argv[i], "--penalty") == 0) options.penalty = std::atof(argv[i + 1]);
  }
  return options;
}

/// Columns of mean square 1, in groups of ten with this correlation; one in twenty bears on the targets.
static void make(stradsap::dvector<float>& X, std::vector<float>& targets, const Options& options) {
  const int64_t rows = options.rows;
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  const auto uniform = [&] { return static_cast<float>(random() % 65536) / 32768 - 1; };
  std::vector<float> common(rows);
  for (int64_t j = 0; j < options.columns; ++j) {
    float* x = &X[j * rows];
    if (j % 10 == 0) std::generate(common.begin(), common.end(), uniform);
    const float weight = j % 20 == 0 ? normal(random) : 0;
    double squares = 0;
    for (int64_t i = 0; i < rows; ++i) {
      x[i] = std::sqrt(options.correlation) * common[i] + std::sqrt(1 - options.correlation) * uniform();
      squares += x[i] * x[i];
    }
    const float scale = std::sqrt(rows / squares);
    for (int64_t i = 0; i < rows; ++i) {
      x[i] *= scale;
      targets[i] += weight * x[i];
    }
  }
  for (float& t : targets) t += 0.5f * uniform();
}

static float slope(const float* x, const auto& residual) {
  float sum = 0;
  const int64_t rows = residual.size();
  for (int64_t i = 0; i < rows; ++i) sum += x[i] * residual[i];
  return sum / rows;
}

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  const int64_t n = options.rows, m = options.columns;
  stradsap::dvector<float> X(n * m), residual(n), beta(m);
  std::vector<float> targets(n);
  make(X, targets, options);
  float greatest = 0;
  for (int64_t j = 0; j < m; ++j) greatest = std::max(greatest, std::abs(slope(&X[j * n], targets)));
  const float penalty = options.penalty * greatest;
  const int64_t few = std::min(n, options.sample);
  const auto correlation = [&X, n, few](int64_t a, int64_t b) {
    float sum = 0;
    for (int64_t i = 0; i < few; ++i) sum += X[a * n + i] * X[b * n + i];
    return sum / few;
  };
  auto how = stradsap::schedule::dynamic().until(1e-5).pipeline_depth(options.depth);
  if (options.sets) how = how.depends(correlation);
  if (options.size != 0) how = how.set_size(options.size);
  int64_t updates = 0;
  const auto solve = [&] {
    stradsap::parallel_for(
        m,
        [&](int64_t j) {
          float whole = 0;
          for (int64_t i = 0; i < n; ++i) whole += X[j * n + i] * residual[i];
          whole = whole / n + beta[j];
          const float step = std::copysign(std::max(std::abs(whole) - penalty, 0.0f), whole) - beta[j];
          if (step != 0) {
            for (int64_t i = 0; i < n; ++i) residual[i] -= step * X[j * n + i];
            beta[j] += step;
          }
          updates += 1;
        },
        stradsap::consistency::approximate({.rho = 0.2}), how);
  };
  Usage usage;
  for (int64_t k = 0; k < options.solves; ++k) {
    for (int64_t i = 0; i < n; ++i) residual[i] = targets[i];
    for (int64_t j = 0; j < m; ++j) beta[j] = 0;
    updates = 0;
    usage = usage_of(solve);
  }
  double squares = 0, absolutes = 0;
  for (const float r : residual) squares += static_cast<double>(r) * r;
  for (const float b : beta) absolutes += std::abs(b);
  std::printf("updates=%ld seconds=%.4f busiest=%.4f all=%.4f nonzero=%ld objective=%.8f\n", updates,
              usage.seconds, usage.busiest, usage.all, m - std::count(beta.begin(), beta.end(), 0.0f),
              squares / (2 * n) + penalty * absolutes);
  return 0;
}

// Updates that run side by side: their number until a lasso is solved. P updates in P shards miss the changes
// of each other, as those of P workers would.
//
//   ./sets --side ours|drawn|unchecked|random|cyclic --size P --updates N --correlation C --depth D
//
// ours: sets of the dynamic scheduler with depends(); drawn: the same with draws in proportion to squared
// changes instead of sweeps over the active set; unchecked: without depends(). random: rounds of P
// columns drawn at random, of which none sees the others (Bradley, Kyrola, Bickson, Guestrin: Parallel
// coordinate descent for L1-regularized loss minimization, 2011); cyclic: rounds of P columns in their order.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <stradsap/stradsap.hpp>

using namespace stradsap;

static constexpr int64_t rows = 500, columns = 1000;
static constexpr double penalty = 0.03, rho = 0.2;

struct Options {
  std::string side = "ours";
  int64_t size = 1, updates = 0, depth = 0;
  double correlation = 0.8;
};

static Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--side") == 0) options.side = argv[i + 1];
    if (std::strcmp(argv[i], "--size") == 0) options.size = std::atoll(argv[i + 1]);
    if (std::strcmp(argv[i], "--updates") == 0) options.updates = std::atoll(argv[i + 1]);
    if (std::strcmp(argv[i], "--depth") == 0) options.depth = std::atoll(argv[i + 1]);
    if (std::strcmp(argv[i], "--correlation") == 0) options.correlation = std::atof(argv[i + 1]);
  }
  return options;
}

/// Columns in groups of ten with this correlation; one in ten bears on the targets.
static void make(std::vector<double>& X, auto& residual, double correlation) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  std::vector<double> common(rows);
  for (int64_t j = 0; j < columns; ++j) {
    if (j % 10 == 0) std::generate(common.begin(), common.end(), [&] { return normal(random); });
    double squares = 0;
    for (int64_t i = 0; i < rows; ++i) {
      X[j * rows + i] = std::sqrt(correlation) * common[i] + std::sqrt(1 - correlation) * normal(random);
      squares += X[j * rows + i] * X[j * rows + i];
    }
    const double weight = j % 10 == 0 ? normal(random) : 0;
    for (int64_t i = 0; i < rows; ++i) {
      X[j * rows + i] /= std::sqrt(squares / rows);
      residual[i] += weight * X[j * rows + i];
    }
  }
  for (int64_t i = 0; i < rows; ++i) residual[i] += 0.5 * normal(random);
}

static double product(const double* a, const auto& b) {
  double sum = 0;
  for (int64_t i = 0; i < rows; ++i) sum += a[i] * b[i];
  return sum / rows;
}

static double shrunk(double whole) { return std::copysign(std::max(std::abs(whole) - penalty, 0.0), whole); }

/// Rounds of `size` columns, each of which sees the state at the round's start. Returns the updates.
static int64_t run_rounds(const std::vector<double>& X, auto& residual, auto& beta, const Options& options) {
  std::mt19937_64 random(1);
  int64_t updates = 0;
  std::vector<int64_t> round;
  std::vector<double> steps;
  while (updates < options.updates) {
    round.clear();
    steps.clear();
    for (int64_t k = 0; k < options.size; ++k)
      round.push_back(options.side == "cyclic" ? (updates + k) % columns : random() % columns);
    for (const int64_t j : round)
      steps.push_back(shrunk(product(&X[j * rows], residual) + beta[j]) - beta[j]);
    for (std::size_t k = 0; k < round.size(); ++k) {
      beta[round[k]] += steps[k];
      for (int64_t i = 0; i < rows; ++i) residual[i] -= steps[k] * X[round[k] * rows + i];
    }
    updates += options.size;
  }
  return updates;
}

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  std::vector<double> X(rows * columns);
  dvector<double> residual(rows), beta(columns);
  make(X, residual, options.correlation);
  int64_t updates = 0;
  if (options.side == "random" || options.side == "cyclic") {
    std::vector<double> r(residual.begin(), residual.end()), b(columns);
    updates = run_rounds(X, r, b, options);
    std::copy(r.begin(), r.end(), residual.begin());
    std::copy(b.begin(), b.end(), beta.begin());
  } else {
    schedule::dynamic_schedule how =
        schedule::dynamic().until(1e-9).updates(options.updates).pipeline_depth(options.depth);
    if (options.size > 1) how = how.set_size(options.size, options.size);
    if (options.side == "drawn") how = how.priority([](int64_t, double change) { return change * change; });
    if (options.side != "unchecked")
      how = how.depends([&X](int64_t a, int64_t b) { return product(&X[a * rows], &X[b * rows]); });
    try {
      parallel_for(
          "sets", columns,
          [&](int64_t j) {
            updates += 1;
            const double step = shrunk(product(&X[j * rows], residual) + beta[j]) - beta[j];
            if (step == 0) return;
            for (int64_t i = 0; i < rows; ++i) residual[i] -= step * X[j * rows + i];
            beta[j] += step;
          },
          consistency::approximate({.rho = rho}), how);
    } catch (const loop_error&) {  // it diverges
      residual[0] = HUGE_VAL;
    }
  }
  double squares = 0, absolutes = 0;
  for (const double r : residual) squares += r * r;
  for (const double b : beta) absolutes += std::abs(b);
  std::printf("updates=%ld objective=%.10g\n", static_cast<long>(updates),
              squares / (2 * rows) + penalty * absolutes);
  return 0;
}

// Sets of the dynamic scheduler: dynamic_sets solve|draw COLUMNS ROWS SET SHARDS RHO [DEPTH], or dynamic_sets
// KIND, or dynamic_sets delay DEPTH.
// `solve` is a lasso with columns in groups of ten that are alike. Every eleventh column is zero, and every
// thirteenth is a copy of another one. `draw` has priorities that read elements.
#include <stradsap/stradsap.hpp>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <utility>
#include <vector>

using namespace stradsap;

static float noise(int64_t a, int64_t b) {
  uint64_t x =
      static_cast<uint64_t>(a) * 0x9e3779b97f4a7c15U + static_cast<uint64_t>(b) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 31)) * 0x94d049bb133111ebU;
  return static_cast<float>(x >> 40) / (1 << 23) - 1;
}

static void make(dvector<float>& X, dvector<float>& residual, int64_t rows, int64_t columns) {
  for (int64_t j = 0; j < columns; ++j) {
    const int64_t like = j % 13 == 12 ? j - 5 : j;
    double squares = 0;
    for (int64_t i = 0; i < rows; ++i) {
      X[j * rows + i] = j % 11 == 10 ? 0 : 2 * noise(like / 10 + 1000000, i) + noise(like, i);
      squares += X[j * rows + i] * X[j * rows + i];
    }
    if (squares == 0) continue;
    const float scale = static_cast<float>(std::sqrt(static_cast<double>(rows) / squares));
    for (int64_t i = 0; i < rows; ++i) {
      X[j * rows + i] *= scale;
      if (j % 7 == 0) residual[i] += noise(j, -1) * X[j * rows + i];
    }
  }
}

/// Updates, the objective, the greatest violation of the optimality conditions, and a hash of all bits.
static void tell(const dvector<float>& X, const dvector<float>& residual, const dvector<float>& beta,
                 float l1, int64_t updates) {
  const auto rows = static_cast<int64_t>(residual.size());
  double squares = 0, absolutes = 0, worst = 0;
  uint64_t hash = 0;
  for (const float r : residual) squares += r * r;
  for (int64_t j = 0; j < static_cast<int64_t>(beta.size()); ++j) {
    double slope = 0;
    for (int64_t i = 0; i < rows; ++i) slope += X[j * rows + i] * residual[i];
    slope /= static_cast<double>(rows);
    const double off = beta[j] == 0 ? std::abs(slope) - l1 : std::abs(slope - std::copysign(l1, beta[j]));
    worst = std::max(worst, off / l1);
    absolutes += std::abs(beta[j]);
    const float b = beta[j];
    uint32_t bits = 0;
    std::memcpy(&bits, &b, sizeof bits);
    hash = (hash ^ bits) * 0x100000001b3U;
  }
  std::printf("updates=%ld objective=%.6f violation=%.1e bits=%016lx\n", static_cast<long>(updates),
              squares / static_cast<double>(2 * rows) + l1 * absolutes, worst,
              static_cast<unsigned long>(hash));
}

static void solve(bool draws, int64_t columns, int64_t rows, int64_t set, int64_t shards, double rho,
                  int64_t depth) {
  dvector<float> X(columns * rows), residual(rows), beta(columns), slopes(columns);
  make(X, residual, rows, columns);
  const float l1 = 0.02f;
  schedule::dynamic_schedule how = schedule::dynamic().follow(beta).until(1e-5).updates(200 * columns);
  if (set != 0) how = shards == 0 ? how.set_size(set) : how.set_size(set, shards);
  if (rho < 1) {
    how = how.depends([&X, rows](int64_t a, int64_t b) {
      float sum = 0;
      for (int64_t i = 0; i < rows; ++i) sum += X[a * rows + i] * X[b * rows + i];
      return sum / static_cast<float>(rows);
    });
  }
  if (draws) {
    how = how.priority(
        [&beta = std::as_const(beta), &residual = std::as_const(residual)](int64_t j, double change) {
          return change * change * (1 + std::abs(beta[j])) + 1e-9 * std::abs(residual[0]);
        });
  }
  int64_t updates = 0;
  const auto body = [&, rows, l1](int64_t j) {
    float slope = 0, square = 0;
    for (int64_t i = 0; i < rows; ++i) {
      slope += X[j * rows + i] * residual[i];
      square += X[j * rows + i] * X[j * rows + i];
    }
    updates += 1;
    slopes[j] = slope;  // changes in each update, which counts for no shard of any rank
    if (square == 0) return;
    const float whole = slope / static_cast<float>(rows) + beta[j];
    const float step = std::copysign(std::max(std::abs(whole) - l1, 0.0f), whole) - beta[j];
    if (step == 0) return;
    for (int64_t i = 0; i < rows; ++i) residual[i] -= step * X[j * rows + i];
    beta[j] += step;
  };
  parallel_for(columns, body, consistency::approximate({.rho = rho, .depth = depth}), how);  // solve
  tell(X, residual, beta, l1, updates);
}

using consistency::approximate;

static bool is(const char* kind, const char* name) { return std::strcmp(kind, name) == 0; }

static const auto sets = schedule::dynamic().passes(10).set_size(16);

/// Schedules and models that a mistake makes impossible.
static void make_mistake(const char* kind) {
  if (is(kind, "no-size")) (void)schedule::dynamic().set_size(0);
  if (is(kind, "shards")) (void)schedule::dynamic().set_size(4, 8);
  if (is(kind, "threshold")) (void)sets.depends([](int64_t, int64_t) { return 0; }, -0.5);
  if (is(kind, "depth")) (void)sets.pipeline_depth(-1);
  if (is(kind, "model-depth")) (void)approximate({.depth = -2});
  if (is(kind, "candidates")) (void)sets.candidates(0);
  if (is(kind, "rho")) (void)approximate({.rho = std::nan("")});
}

/// One body under many schedules.
static void run_schedules(const char* kind, dvector<double>& X, dvector<double>& all) {
  const auto n = static_cast<int64_t>(X.size());
  const auto body = [&X, &all](int64_t j) {
    X[j] = 0.5 * X[j] + 1;
    all[j % 8] += X[j];
  };
  const auto run_with = [&](const schedule::dynamic_schedule& how) {
    parallel_for(n, body, approximate, how);  // run_with
  };
  const auto none = [](int64_t, int64_t) { return 0; };
  const auto throws = [](int64_t a, int64_t b) {
    return a + b == 40 ? throw std::domain_error("no column 40") : 0.0;
  };
  if (is(kind, "measure-throws")) run_with(sets.depends(throws));
  if (is(kind, "measure-nan")) run_with(sets.depends([](int64_t, int64_t) { return std::nan(""); }));
  if (is(kind, "asymmetric")) run_with(sets.depends([](int64_t a, int64_t b) { return a < b ? 0.05 : 0.2; }));
  if (is(kind, "priority-throws"))
    run_with(sets.priority([](int64_t j) { return j == 33 ? throw std::domain_error("no column 33") : 1; }));
  if (is(kind, "priority-negative")) run_with(sets.priority([](int64_t j) { return j == 33 ? -2 : 1; }));
  if (is(kind, "priority-infinite"))
    run_with(sets.set_size(1).priority([](int64_t j) { return 1 / std::abs(j - 33.0); }));
  if (is(kind, "priority-nan"))
    run_with(sets.set_size(1).priority([](int64_t, double c) { return c * std::nan(""); }));
  if (is(kind, "short")) run_with(schedule::dynamic().passes(10).depends(none));
  if (is(kind, "one")) run_with(sets.set_size(1));
  if (is(kind, "async")) parallel_for(n, body, consistency::async, sets);
  if (is(kind, "async-one")) parallel_for(n, body, consistency::async, sets.set_size(1));
}

static void run_failures(const char* kind, dvector<double>& X, dvector<double>& all) {
  const auto n = static_cast<int64_t>(X.size());
  if (is(kind, "throws")) {
    const auto body = [&X, &all](int64_t j) {
      if (j == 70 && X[j] > 2) throw std::domain_error("above two");
      X[j] += 1;
      all[j % 8] += 1;
    };
    parallel_for(n, body, approximate, sets);  // throws
  }
  if (is(kind, "last-throws")) {
    const auto body = [&X, &all](int64_t j) {
      if (j == 79 && X[j] > 2) throw std::domain_error("the last one of a set");
      X[j] += 1;
      all[j % 8] += 1;
    };
    parallel_for(n, body, approximate({.depth = 1}), sets);  // last-throws
  }
  if (is(kind, "dies")) {
    const auto body = [&X, &all](int64_t j) {
      if (j == 79 && X[j] > 2) raise(SIGKILL);
      X[j] += 1;
      all[j % 8] += 1;
    };
    parallel_for(n, body, approximate, sets, access(pure(raise)));
  }
  if (is(kind, "infinite")) {
    const auto body = [&X, &all](int64_t j) {
      X[j] *= 1e200;
      all[j % 8] += 1;
    };
    parallel_for(n, body, approximate, sets);  // infinite
  }
}

/// Bodies that write elements without a copy in shards.
static void run_alone(const char* kind, dvector<double>& X, dvector<double>& all) {
  const auto n = static_cast<int64_t>(X.size());
  dmap<int, double> sums;
  dvector<std::vector<double>> rows(8, {0});
  for (int k = 0; k < 8; ++k) sums[k] = 0;
  const auto body = [&X, &sums](int64_t j) {
    X[j] = 0.5 * X[j] + 1;
    sums[static_cast<int>(j % 8)] += X[j] - X[j] * 0.5;
  };
  if (is(kind, "map")) parallel_for(n, body, approximate, sets);
  const auto replacing = [&X, &all](int64_t j) {
    X[j] = 0.5 * X[j] + 1;
    all[j % 8] = static_cast<double>(j);
  };
  if (is(kind, "replaced")) parallel_for(n, replacing, approximate, sets);
  const auto owning = [&X, &rows](int64_t j) {
    X[j] = 0.5 * X[j] + 1;
    rows[j % 8][0] += rows[(j + 1) % 8][0] + 1e-9;
  };
  if (is(kind, "owned")) parallel_for(n, owning, approximate, sets);
}

/// Updates that are counted.
static void run_counts(const char* kind, int64_t depth, dvector<double>& X, dvector<double>& all) {
  const auto n = static_cast<int64_t>(X.size());
  if (is(kind, "limit")) {
    int64_t calls = 0;
    const auto body = [&X, &all, &calls](int64_t j) {
      X[j] += 1;
      all[j % 8] += 1;
      calls += 1;
    };
    parallel_for(n, body, approximate, sets.updates(333));
    std::printf("calls=%ld ", static_cast<long>(calls));
  }
  if (is(kind, "undone")) {  // the group of iterations 40 to 43 draws tickets
    const auto body = [&X, &all](int64_t j) {
      if (j / 4 != 10 || X[j] != 1) return;
      all[0] += 1;
      X[j] = 10 * all[0];
    };
    const auto group = [](int64_t a, int64_t b) { return a / 4 == b / 4; };
    parallel_for(n, body, approximate({.depth = depth}), sets.set_size(16, 16).depends(group));
    for (int64_t j = 40; j < 44; ++j) std::printf("%g ", X[j]);
  }
}

/// Each update keeps the number of updates that it sees.
static void tell_delay(int64_t depth, dvector<double>& X, dvector<double>& all) {
  const auto body = [&X, &all](int64_t j) {
    X[j] = all[0];
    all[0] += 1;
  };
  const auto how = schedule::dynamic().passes(1).set_size(20, 5).pipeline_depth(depth);
  parallel_for(static_cast<int64_t>(X.size()), body, approximate, how);
  for (int64_t j = 0; j < static_cast<int64_t>(X.size()); j += 20) std::printf("%g-%g ", X[j], X[j + 19]);
}

static void run(const char* kind, int64_t depth) {
  dvector<double> X(100, 1), all(8, 0);
  make_mistake(kind);
  run_schedules(kind, X, all);
  run_failures(kind, X, all);
  run_alone(kind, X, all);
  run_counts(kind, depth, X, all);
  if (is(kind, "delay")) tell_delay(depth, X, all);
  double sum = 0, total = 0;
  for (const double x : X) sum += x;
  for (const double x : all) total += x;
  std::printf("sum=%g total=%g\n", sum, total);
}

int main(int argc, char** argv) {
  try {
    if (argc >= 7)
      solve(std::strcmp(argv[1], "draw") == 0, std::atoll(argv[2]), std::atoll(argv[3]), std::atoll(argv[4]),
            std::atoll(argv[5]), std::atof(argv[6]), argc == 8 ? std::atoll(argv[7]) : 0);
    else
      run(argv[1], argc == 3 ? std::atoll(argv[2]) : 0);
  } catch (const error& failure) {
    std::printf("%d: %s\n", static_cast<int>(failure.code()), failure.what());
  }
  return 0;
}

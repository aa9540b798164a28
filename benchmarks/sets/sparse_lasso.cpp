// Lassos over sparse columns, along a path of penalties: `--side ours` solves on a working set of columns by
// dynamic loops, as elastic_net_path does, and `--side cyclic` by passes over all columns of a plain
// program. "violation" is the greatest one of the optimality conditions, as a part of the penalty.
//
//   sparse_lasso --data news20 --side ours --steps 100 --least 0.02 --tolerance 1e-4

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <stradsap/stradsap.hpp>

#include "../../examples/elastic_net_path/working_set.hpp"

struct entry {
  int row;
  float value;
};

struct run_options {
  std::string data, side = "ours";
  int steps = 1;
  float least = 0.02f;  // last penalty, as a part of the least one that makes all coefficients zero
  double tolerance = 1e-4;
};

static run_options parse_options(int argc, char** argv) {
  run_options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--data") == 0) options.data = argv[i + 1];
    if (std::strcmp(argv[i], "--side") == 0) options.side = argv[i + 1];
    if (std::strcmp(argv[i], "--steps") == 0) options.steps = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--least") == 0) options.least = std::atof(argv[i + 1]);
    if (std::strcmp(argv[i], "--tolerance") == 0) options.tolerance = std::atof(argv[i + 1]);
  }
  return options;
}

struct lasso {
  std::vector<std::vector<entry>> columns;
  std::vector<float> targets, norm;
};

static lasso read_problem(const std::string& path) {
  const auto [targets, rows] = stradsap::read_libsvm<float>(path);
  lasso made;
  made.targets.assign(targets.begin(), targets.end());
  made.columns.resize(rows.columns);
  made.norm.resize(rows.columns);
  for (int i = 0; i < rows.rows; ++i) {
    for (int64_t k = rows.indptr[i]; k < rows.indptr[i + 1]; ++k) {
      made.columns[rows.index[k]].push_back({i, rows.value[k]});
      made.norm[rows.index[k]] += rows.value[k] * rows.value[k];
    }
  }
  return made;
}

static float product(const std::vector<entry>& column, const auto& residual) {
  float sum = 0;
  for (const entry& e : column) sum += e.value * residual[e.row];
  return sum;
}

/// The change of a coefficient that has this slope of the loss. `l1`: the penalty, times the rows.
static float change_of(float slope, float norm, float beta, float l1) {
  if (norm == 0) return 0;
  const float whole = slope + norm * beta;
  return std::copysign(std::max(std::abs(whole) - l1, 0.0f) / norm, whole) - beta;
}

/// Passes over all columns of `problem` until none changes its coefficient; returns the updates.
static int64_t solve_in_passes(const lasso& problem, auto& residual, auto& beta, float l1, double tolerance) {
  int64_t updates = 0;
  float moved = 1, greatest = 0;
  while (moved > tolerance * greatest) {
    moved = greatest = 0;
    for (std::size_t j = 0; j < beta.size(); ++j) {
      const std::vector<entry>& column = problem.columns[j];
      const float change = change_of(product(column, residual), problem.norm[j], beta[j], l1);
      if (change != 0) {
        for (const entry& e : column) residual[e.row] -= change * e.value;
        beta[j] += change;
      }
      moved = std::max(moved, std::abs(change));
      greatest = std::max(greatest, std::abs(beta[j]));
      ++updates;
    }
  }
  return updates;
}

/// Solves for the columns of a working set; returns the updates.
static int64_t solve_for(const lasso& problem, auto& residual, std::vector<float>& beta,
                         const std::vector<int64_t>& working_set, float l1, double tolerance) {
  stradsap::dvector<float> part(working_set.size());
  for (std::size_t k = 0; k < working_set.size(); ++k) part[k] = beta[working_set[k]];
  int64_t updates = 0;
  stradsap::parallel_for(
      working_set.size(),
      [&](int64_t k) {
        const int64_t j = working_set[k];
        const std::vector<entry>& column = problem.columns[j];
        const float change = change_of(product(column, residual), problem.norm[j], part[k], l1);
        if (change != 0) {
          for (const entry& e : column) residual[e.row] -= change * e.value;
          part[k] += change;
        }
        updates += 1;
      },
      stradsap::consistency::approximate, stradsap::schedule::dynamic().until(tolerance));
  for (std::size_t k = 0; k < working_set.size(); ++k) beta[working_set[k]] = part[k];
  return updates;
}

static void print(const lasso& problem, const auto& residual, const auto& beta, float l1, int64_t updates,
                  double seconds) {
  double worst = 0, loss = 0, sum = 0;
  int64_t nonzero = 0;
  for (std::size_t j = 0; j < beta.size(); ++j) {
    double slope = 0;
    for (const entry& e : problem.columns[j]) slope += e.value * residual[e.row];
    worst =
        std::max(worst, beta[j] == 0 ? std::abs(slope) - l1 : std::abs(slope - std::copysign(l1, beta[j])));
    sum += std::abs(beta[j]);
    nonzero += beta[j] != 0;
  }
  for (const float r : residual) loss += r * r / 2;
  std::printf("updates=%ld seconds=%.4f violation=%.1e objective=%.8g nonzero=%ld\n", updates, seconds,
              worst / l1, (loss + l1 * sum) / residual.size(), nonzero);
}

static double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Calls solve(l1, the penalty before) for each penalty; returns the last one.
static float follow_path(const run_options& options, float first, const auto& solve) {
  float l1 = first;
  for (int step = 1; step <= options.steps; ++step) {
    const float before = l1;
    l1 = first * std::pow(options.least, static_cast<float>(step) / options.steps);
    solve(l1, before);
  }
  return l1;
}

int main(int argc, char** argv) try {
  const run_options options = parse_options(argc, argv);
  const lasso problem = read_problem(options.data);
  const std::size_t n = problem.columns.size();
  stradsap::dvector<float> residual;
  std::vector<float> beta(n);
  residual.assign(problem.targets.begin(), problem.targets.end());
  const double start = seconds_now();
  std::vector<float> reach;
  for (const float squares : problem.norm) reach.push_back(std::sqrt(squares));
  SlopeBounds bounds(problem.targets, reach,
                     [&](int64_t j, const auto& r) { return product(problem.columns[j], r); });
  const float first = bounds.greatest();
  int64_t updates = 0;
  if (options.side == "cyclic") {
    std::vector<float> plain_residual = problem.targets, plain_beta(n);
    const float l1 = follow_path(options, first, [&](float l1, float) {
      updates += solve_in_passes(problem, plain_residual, plain_beta, l1, options.tolerance);
    });
    print(problem, plain_residual, plain_beta, l1, updates, seconds_now() - start);
  } else {
    const float l1 = follow_path(options, first, [&](float l1, float before) {
      const int64_t products = bounds.num_products();
      updates += solve_on_working_set(bounds, residual, beta, l1, before, options.tolerance,
                                      [&](const auto& working_set, double tolerance) {
                                        return solve_for(problem, residual, beta, working_set, l1, tolerance);
                                      });
      updates += bounds.num_products() - products;
    });
    print(problem, residual, beta, l1, updates, seconds_now() - start);
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}

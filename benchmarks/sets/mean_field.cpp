// Mean field of a Potts model on a random graph, by the dynamic scheduler: nodes take one of 16 labels, and
// neighbours like to agree. A node's update changes the fields of its neighbours, so two nodes are dependent
// if they have a neighbour in common, or are neighbours.
//
//   ./mean_field --sets 0|1 --size 0 --depth 0 --nodes 200000 --degree 8 --skew 0 --solves 1
//
// --skew s: degrees follow a power law with exponent -s of the node's rank. Prints the seconds of the last
// solve, and the CPU seconds of its busiest thread on rank 0.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#include <stradsap/stradsap.hpp>

#include "usage.hpp"

#ifndef LABELS
#define LABELS 16
#endif
constexpr int labels = LABELS;
using Row = std::array<float, labels>;

struct Options {
  bool sets = true;
  int64_t nodes = 200000, degree = 8, depth = 0, size = 0, solves = 1;
  double skew = 0, tolerance = 1e-4;
};

static Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--sets") == 0) options.sets = std::atoi(argv[i + 1]) != 0;
    if (std::strcmp(argv[i], "--size") == 0) options.size = std::atoll(argv[i + 1]);
    if (std::strcmp(argv[i], "--depth") == 0) options.depth = std::atoll(argv[i + 1]);
    if (std::strcmp(argv[i], "--nodes") == 0) options.nodes = std::atoll(argv[i + 1]);
    if (std::strcmp(argv[i], "--degree") == 0) options.degree = std::atoll(argv[i + 1]);
    if (std::strcmp(argv[i], "--skew") == 0) options.skew = std::atof(argv[i + 1]);
    if (std::strcmp(argv[i], "--solves") == 0) options.solves = std::atoll(argv[i + 1]);
    if (std::strcmp(argv[i], "--tolerance") == 0) options.tolerance = std::atof(argv[i + 1]);
  }
  return options;
}

/// Each node chooses half of the average degree.
static std::vector<std::vector<int>> make_graph(const Options& options) {
  std::vector<std::vector<int>> neighbours(options.nodes);
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform;
  for (int64_t v = 0; v < options.nodes; ++v) {
    const double rank = 1 + v * 7919 % options.nodes;
    const double share =
        options.skew == 0 ? 1 : (1 - options.skew) * std::pow(options.nodes / rank, options.skew);
    const auto chosen = std::max<int64_t>(1, std::llround(options.degree * share / 2));
    for (int64_t k = 0; k < chosen; ++k) {
      const auto w = static_cast<int64_t>(options.nodes * uniform(random));
      if (w == v) continue;
      neighbours[v].push_back(static_cast<int>(w));
      neighbours[w].push_back(static_cast<int>(v));
    }
  }
  for (std::vector<int>& row : neighbours) {
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
  }
  return neighbours;
}

static Row softmax(const Row& field) {
  Row weights;
  float greatest = field[0], sum = 0;
  for (const float f : field) greatest = std::max(greatest, f);
  for (int k = 0; k < labels; ++k) weights[k] = std::exp(field[k] - greatest);
  for (const float w : weights) sum += w;
  for (float& w : weights) w /= sum;
  return weights;
}

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  const int64_t n = options.nodes;
  const std::vector<std::vector<int>> neighbours = make_graph(options);
  stradsap::dvector<Row> belief(n), field(n);
  auto how = stradsap::schedule::dynamic().until(options.tolerance).pipeline_depth(options.depth);
  if (options.sets) how = how.depends_on_accesses();
  if (options.size != 0) how = how.set_size(options.size);
  const float coupling = 2.0f / options.degree;
  int64_t updates = 0;
  const auto solve = [&] {
    stradsap::parallel_for(
        n,
        [&](int64_t j) {
          const Row now = softmax(field[j]);
          for (const int w : neighbours[j]) {
            for (int k = 0; k < labels; ++k) field[w][k] += coupling * (now[k] - belief[j][k]);
          }
          belief[j] = now;
          updates += 1;
        },
        stradsap::consistency::async, how);
  };
  Usage usage;
  for (int64_t solved = 0; solved < options.solves; ++solved) {
    std::mt19937 random(2);
    std::normal_distribution<float> normal;
    for (int64_t j = 0; j < n; ++j) {
      belief[j] = Row{};
      for (float& f : field[j]) f = normal(random);
    }
    updates = 0;
    usage = usage_of(solve);
  }
  double sum = 0;
  for (const Row& row : belief) sum += *std::max_element(row.begin(), row.end());
  std::printf("updates=%ld seconds=%.4f busiest=%.4f all=%.4f certainty=%.8f\n", static_cast<long>(updates),
              usage.seconds, usage.busiest, usage.all, sum / n);
  return 0;
}

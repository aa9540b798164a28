// Folds of fractions in containers that are consistency::stale: which ones end the loop because a fraction
// has become infinite, or not a number. Prints a line for each loop.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include <stradsap/stradsap.hpp>

namespace {

using namespace stradsap;

constexpr int64_t n = 20000;
constexpr int64_t rows = 600;
constexpr float infinity = std::numeric_limits<float>::infinity();

void try_to(const char* what, auto run) {
  try {
    run();
    std::printf("%s: nothing\n", what);
  } catch (const error& failure) {
    std::printf("%s: %s\n", what, failure.what());
  }
}

/// Adds so much to element 1 that its changes overflow.
void overflow(const char* what, const consistency::ConsistencyModel& model) {
  try_to(what, [&] {
    dvector<float> w(3, 0, model);
    async_for(n, [&w](int64_t j) { w[j % 3] += j % 3 == 1 ? 1e38f : 0.5f * w[j % 3]; });
  });
}

/// The same beside a container that is cut.
void overflow_beside_blocks(const char* what, const consistency::ConsistencyModel& model) {
  try_to(what, [&] {
    dvector<float> w(3, 0, model);
    dvector<float> x(rows, 1);
    async_for(n, [&w, &x](int64_t j) {
      w[j % 3] += j % 3 == 1 ? 1e38f : 0.5f * w[j % 3];
      x[(j * 7 + 1) % rows] = 0.5f * x[(j * 7 + 1) % rows];
    });
  });
}

void overflow_of_hottest(const char* what, const merge::rule& how) {
  try_to(what, [&] {
    dvector<float> w(rows, 0, consistency::stale({.merge = how}, consistency::hottest(1)));
    async_for(n, [&w](int64_t j) {
      w[7] += 1e38f;
      w[(j * j + 3 * j) % rows] *= 0.5f;
    });
  });
}

struct row {
  long seen = 0;
  std::array<double, 20> values = {};
};

/// One iteration of all leaves a NaN.
void one_nan() {
  try_to("one nan", [] {
    dvector<row> w(5, row{}, consistency::stale(0));
    async_for(n, [&w](int64_t j) {
      row& one = w[j % 5];
      one.values[j % 20] += j == 12342 ? std::numeric_limits<double>::quiet_NaN() : 1;
      ++one.seen;
    });
  });
  try_to("one nan in vectors", [] {
    dvector<std::vector<float>> w(5, std::vector<float>(3), consistency::stale(0));
    async_for(n, [&w](int64_t j) {
      w[j % 5][0] += j == 12343 ? std::numeric_limits<float>::quiet_NaN() : 0.25f * w[j % 5][1];
    });
  });
}

/// A call under consistency::stale.
void of_a_loop(const char* what, const consistency::ConsistencyModel& model) {
  try_to(what, [&] {
    dvector<float> w(3);
    for (int call = 0; call < 4; ++call)
      parallel_for(n, [&w](int64_t j) { w[j % 3] += j % 3 == 1 ? 1e38f : 0.5f; }, model);
    std::printf("w[0]=%g ", double(w[0]));
  });
}

void legal() {
  const auto farther = [](float folded, float, float end) { return folded > end ? folded : end; };
  for (const merge::rule& how : {merge::min, merge::rule(farther)}) {
    try_to("infinities of minima and functions", [&] {
      dvector<float> w(40, infinity, consistency::stale({.merge = how}));
      async_for(n, [&w](int64_t j) {
        float& one = w[j % 20];
        if (static_cast<float>(j) < one) one = static_cast<float>(j);
        if (j % 20 == 3) one = infinity;
      });
      std::printf("%g %g ", double(w[2]), double(w[30]));
    });
  }
  try_to("infinities that a loop leaves alone, or replaces once", [] {
    dvector<double> w(2 * n, infinity, consistency::stale(0));
    async_for(n, [&w](int64_t j) {
      double& one = w[2 * j];
      one = one > 1e300 ? 1 : one + 1;
    });
    std::printf("%d ", int(w[0] < infinity && w[1] == infinity));
  });
  try_to("infinities that several accumulators replace", [] {
    dvector<double> w(40, infinity, consistency::stale(0));
    async_for(n, [&w](int64_t j) {
      double& one = w[2 * (j % 20)];
      one = one > 1e300 ? 1 : one + 1;
    });
  });
  try_to("infinities assigned", [] {
    dvector<float> w(40, consistency::stale(0));
    async_for(n, [&w](int64_t j) { w[j % 40] = infinity; });
    std::printf("%g ", double(w[3]));
  });
  try_to("values that are current", [] {
    dvector<float> w(40, consistency::stale(0));
    parallel_for(n, [&w](int64_t j) { w[j % 40] = 2 * w[j % 40] + 1; }, consistency::ordered);
    std::printf("%g ", double(w[3]));
  });
}

}  // namespace

int main() {
  using consistency::stale;
  overflow("sum", stale(0));
  overflow("mean", stale({.merge = merge::mean}));
  overflow("adaptive", stale({.merge = merge::adaptive}));
  overflow("late sum", stale(2));
  overflow("late mean", stale({.bound = 2, .merge = merge::mean}));
  overflow_beside_blocks("sum beside blocks", stale(0));
  overflow_beside_blocks("mean beside blocks", stale({.merge = merge::mean}));
  overflow_beside_blocks("late sum beside blocks", stale(1));
  overflow_of_hottest("hottest sum", merge::sum);
  overflow_of_hottest("hottest mean", merge::mean);
  overflow_of_hottest("hottest by_uses", merge::by_uses(30));
  one_nan();
  of_a_loop("sum of a loop", stale(1));
  of_a_loop("mean of a loop", stale({.bound = 1, .merge = merge::mean}));
  legal();
}

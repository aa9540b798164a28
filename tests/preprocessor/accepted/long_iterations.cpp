// Iterations that take long and share elements with many others. They begin in program order and go on by
// waves in the midst of the call, with the sums and elements of the plain program.
#include <cmath>
#include <cstdint>
#include <vector>

#include <stradsap/stradsap.hpp>

#include "../printed.hpp"

constexpr int CELLS = 600, TOUCHED = 4;

static int draw(int64_t j, int k, int below) {
  return static_cast<int>((static_cast<uint64_t>(j * 8 + k) * 0x9e3779b97f4a7c15ULL >> 33) % below);
}

static double long_sum(double x) {
  for (int i = 0; i < 2000; ++i) x = std::sqrt(x * x + 1.0 / (i + 1));
  return x;
}

int main() {
  const int n = 400;
  stradsap::dvector<double> cells(CELLS, 1.0), twin(CELLS, 1.0);
  for (int pass = 0; pass < 3; ++pass) {
    double sum = 0;
    int64_t steps = 0;
    stradsap::async_for(n, [&](int64_t j) {
      double seen = 0;
      for (int k = 0; k < TOUCHED; ++k) seen += cells[draw(j, k, CELLS)];
      const double x = long_sum(seen);
      for (int k = 0; k < TOUCHED; ++k) cells[draw(j, k, CELLS)] += x / (k + 3 + pass);
      sum += 1 / x;
      ++steps;
    });
    double twin_sum = 0;
    for (int64_t j = 0; j < n; ++j) {
      double seen = 0;
      for (int k = 0; k < TOUCHED; ++k) seen += twin[draw(j, k, CELLS)];
      const double x = long_sum(seen);
      for (int k = 0; k < TOUCHED; ++k) twin[draw(j, k, CELLS)] += x / (k + 3 + pass);
      twin_sum += 1 / x;
    }
    if (steps != n || sum != twin_sum || !(cells == twin)) return 1;
    for (double& cell : cells) cell /= 1e6;
    for (double& cell : twin) cell /= 1e6;
    printed::print("sum", sum);
  }
  return 0;
}

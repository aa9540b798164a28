// Histograms: bins as elements, as a small array, and two-dimensional ones in rows.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

#define NUM_BINS 32
#define BIN_OF(x) (std::clamp(static_cast<int>((x) * NUM_BINS), 0, NUM_BINS - 1))

int main() {
  const int n = 5000;
  std::vector<float> values(n);
  for (int j = 0; j < n; ++j) values[j] = std::abs(std::sin(static_cast<float>(j)));
  const stradsap::dvector<float> x(values.begin(), values.end());
  stradsap::dvector<long> bins(NUM_BINS);
  stradsap::dvector<std::array<int, NUM_BINS>> joint(NUM_BINS);
  long coarse[4] = {0};
  stradsap::parallel_for(n - 1, [&](int64_t j) {
    const int here = BIN_OF(x[j]);
    const int next = BIN_OF(x[j + 1]);
    bins[here]++;
    joint[here][next] += 1;
    ++coarse[here / (NUM_BINS / 4)];
  }, stradsap::consistency::async);

  std::vector<long> wanted(NUM_BINS), wanted_coarse(4);
  std::vector<std::array<int, NUM_BINS>> wanted_joint(NUM_BINS);
  for (int j = 0; j + 1 < n; ++j) {
    ++wanted[BIN_OF(values[j])];
    ++wanted_joint[BIN_OF(values[j])][BIN_OF(values[j + 1])];
    ++wanted_coarse[BIN_OF(values[j]) / (NUM_BINS / 4)];
  }
  for (int b = 0; b < NUM_BINS; ++b) {
    if (std::as_const(bins)[b] != wanted[b] || std::as_const(joint)[b] != wanted_joint[b]) return 1;
  }
  return std::equal(wanted_coarse.begin(), wanted_coarse.end(), coarse) ? 0 : 2;
}

// Bodies with iterations that g++ may vectorise together, and bodies that must not run on copies of elements.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::async_for;
using stradsap::dvector;

struct Data {
  std::vector<float> label;
  dvector<float> score;
};

static void rows(int n, dvector<float>& g, dvector<int>& counts, Data& data, const std::vector<float>& y) {
  const std::vector<double, std::allocator<double>> weight(n, 2);
  const std::vector<bool> chosen(n, true);
  async_for(n, [&](int j) { g[j] = 1 - y[j] * g[j]; });
  async_for(n, [&](int j) { g[j] += data.label[j] * data.score[j]; });
  async_for(n, [&](std::size_t j) { g[j] += static_cast<float>(weight[j]) + y[j]; });
  async_for(n, [&, y](int j) { g[j] += y[j]; });    // a copy in the body
  async_for(n, [&](int j) { g[j] += y[n - 1 - j]; });  // other elements
  async_for(n, [&](int j) { g[j] += y[j] + y[0]; });
  async_for(n, [&](int j) { g[j] += y.at(j); });  // throws in a further iteration
  async_for(n, [&](int j) { g[j] += chosen[j] ? 1.f : 0.f; });
  async_for(n, [&](int j) {
    if (j != n - 1) counts[j] = 100 / counts[j];  // the last iteration divides by no 0
  });
  async_for(n, [&](int j) { counts[j] = 100 / (counts[j] + 1); });
}

static double folds(int n, const dvector<float>& g, dvector<int>& counts, const std::vector<float>& y) {
  double loss = 0, twice = 0, likelihood = 0;
  float narrow = 0;
  int positive = 0;
  async_for(n, [&](int j) {
    const double d = g[j] - y[j];
    loss += d * d;
  });
  async_for(n, [&](int j) { twice += g[j], twice += y[j]; });
  async_for(n, [&](int j) { narrow -= 0.5 * g[j]; });
  async_for(n, [&](int j) { likelihood -= std::log(1 + std::exp(-g[j])); });
  async_for(n, [&](int j) {
    counts[j] += 1;
    positive += g[j] > 0;
  });
  return loss + twice + likelihood + narrow + positive;
}

int main() {
  const int n = 100;
  dvector<float> g(n);
  dvector<int> counts(n);
  Data data{std::vector<float>(n, 0.5f), dvector<float>(n)};
  std::vector<float> y(n);
  for (int j = 0; j < n; ++j) {
    g[j] = static_cast<float>(j % 7);
    counts[j] = n - 1 - j;
    data.score[j] = 0.25f * static_cast<float>(j % 3);
    y[j] = j % 2 == 0 ? 1.f : -1.f;
  }
  rows(n, g, counts, data, y);
  std::printf("%.6g\n", folds(n, g, counts, y));
}

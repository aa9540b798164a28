// Boosting with decision stumps: each feature finds its best threshold over samples that travel with the loop.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

struct Stump {
  double threshold = 0;
  double error = std::numeric_limits<double>::infinity();
  int polarity = 1;
};
using Column = std::vector<double>;

static Stump best_stump(const Column& column, const std::vector<int>& y, const std::vector<double>& weight) {
  std::vector<size_t> order(column.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&column](size_t a, size_t b) { return column[a] < column[b]; });
  Stump best;
  double above = 0;  // error of "positive is above" when nothing is
  for (size_t i = 0; i < y.size(); ++i) above += y[i] > 0 ? 0 : weight[i];
  for (const size_t i : order) {
    above += y[i] > 0 ? weight[i] : -weight[i];
    for (const int polarity : {1, -1}) {
      const double error = polarity > 0 ? above : 1 - above;
      if (error < best.error - 1e-12) best = {column[i], error, polarity};
    }
  }
  return best;
}

int main() {
  const int samples = 100, num_features = 40;
  std::vector<Column> x(num_features, Column(samples));
  std::vector<int> y(samples);
  for (int i = 0; i < samples; ++i) {
    y[i] = i % 3 == 0 ? 1 : -1;
    for (int f = 0; f < num_features; ++f) x[f][i] = (i * (f + 3) * 31 % 97) + (f == 17 ? 40 * y[i] : 0);
  }
  std::vector<double> weight(samples, 1.0 / samples);
  stradsap::dvector<Column> features(x.begin(), x.end());
  stradsap::dvector<Stump> stumps(num_features);
  for (int round = 0; round < 3; ++round) {
    double least = 1;
    stradsap::async_for(num_features, [&](int64_t f) {
      stumps[f] = best_stump(features[f], y, weight);
      least = std::min(least, stumps[f].error);
    });
    int chosen = 0;
    for (int f = 0; f < num_features; ++f) {
      const Stump wanted = best_stump(x[f], y, weight);
      const Stump& found = std::as_const(stumps)[f];
      if (wanted.threshold != found.threshold || wanted.error != found.error) return 1;
      if (found.error < std::as_const(stumps)[chosen].error) chosen = f;
    }
    const Stump stump = std::as_const(stumps)[chosen];
    if (stump.error != least) return 2;
    double sum = 0;
    for (int i = 0; i < samples; ++i) {
      const bool right = (x[chosen][i] > stump.threshold ? stump.polarity : -stump.polarity) == y[i];
      sum += weight[i] *= right ? 1 : 1.5;
    }
    for (double& w : weight) w /= sum;
  }
  return 0;
}

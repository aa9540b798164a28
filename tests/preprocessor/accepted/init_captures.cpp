// Init-captures: new names, computed values, references to containers, copied vectors.
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

struct Options {
  double rate = 0.25;
  int every = 4;
};

int main() {
  const int n = 400;
  Options options;
  stradsap::dvector<double> weights(n, 1.0);
  const std::vector<double> decay{1, 0.5, 0.25};
  stradsap::async_for(n, [&W = weights, step = std::sqrt(options.rate) * 2, every = options.every](int64_t j) {
    if (j % every == 0) W[j] += step;
  });
  stradsap::async_for(n, [&W = weights, table = decay, half = n / 2](int64_t j) {
    W[j] *= table[static_cast<size_t>(j) % table.size()];
    if (j >= half) W[j] = -W[j];
  });
  stradsap::async_for(n, [&W = std::as_const(weights), &again = weights](int64_t j) { again[j] = W[j] + 1; });
  for (int64_t j = 0; j < n; ++j) {
    const double value = (j % 4 == 0 ? 2 : 1) * decay[static_cast<size_t>(j) % 3];
    if (std::as_const(weights)[j] != (j >= n / 2 ? -value : value) + 1) return 1;
  }
  return 0;
}

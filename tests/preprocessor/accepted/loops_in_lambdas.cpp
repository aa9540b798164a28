// Loops in lambdas, also in generic ones: each instance has its own loop, for any types of its parameters.
#include <algorithm>
#include <cstdint>
#include <utility>

#include <stradsap/stradsap.hpp>

using namespace stradsap;
using consistency::async;

static const auto scale = [](auto& values, auto by) {
  parallel_for(values.size(), [&values, by](int64_t j) { values[j] *= by; }, async);
};

template <class T>
static T total_of(const dvector<T>& values) {
  T total{};
  const auto add = [&](auto first) {
    parallel_for(values.size(), [&](auto j) { total += values[j] + first; }, async);
  };
  add(T{1});
  return total;
}

int main() {
  const int64_t n = 300;
  dvector<int> counts(n);
  dvector<double> weights(n);
  const auto fill = [n](auto& values) {
    parallel_for(n, [&](int64_t j) { values[j] = static_cast<int>(j % 10); }, async);
  };
  fill(counts);
  fill(weights);
  scale(counts, 3);
  scale(weights, 0.5);
  scale(weights, 4);
  // one lambda in the other, and with named parameters
  const auto outer = [&](auto by) {
    const auto inner = [&]<class T>(dvector<T>& values, T more) {
      parallel_for(n, [&](int64_t j) { values[(j * 7) % n] += more * by; }, async);
    };
    inner(counts, 2);
    inner(weights, 1.0);
  };
  outer(1);
  outer(2);
  // constants from around the lambda, and its own
  constexpr double half = 0.5;
  const auto add_row = [&](auto& values) {
    constexpr int width = sizeof(values[0]) == 4 ? 3 : 4;
    parallel_for(n / width, [&](int64_t j) {
      double row[width] = {};
      for (int k = 0; k < width; ++k) row[k] = 2 * half;
      for (int k = 0; k < width; ++k) values[j * width + k] += static_cast<int>(row[k] + std::min<int64_t>(n, 2));
    }, async);
  };
  add_row(counts);
  add_row(weights);
  const auto add_columns = [&] {
    parallel_for(n / 3, [&](int64_t j) {
      int column[2 + static_cast<int>(2 * half)] = {};
      for (int k = 0; k < 3; ++k) counts[j * 3 + k] += column[k] + 0 * std::max<int64_t>(n, j);
    }, async);
  };
  add_columns();
  // called at its definition
  [&](auto& values) {
    parallel_for(n, [&](int64_t j) {
      const auto half = [](auto x) { return x / 2; };
      values[j] = half(values[j]);
    }, async);
  }(counts);
  for (int64_t j = 0; j < n; ++j) {
    if (std::as_const(counts)[j] != (3 * (j % 10) + 9) / 2) return 1;
    if (std::as_const(weights)[j] != 2.0 * static_cast<double>(j % 10) + 6) return 2;
  }
  long sum = 0;
  for (int64_t j = 0; j < n; ++j) sum += (3 * (j % 10) + 9) / 2 + 1;
  if (total_of(counts) != sum || total_of(weights) != 2.0 * 1350 + 7 * 300) return 3;
  return 0;
}

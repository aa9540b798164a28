// Generic lambdas: as bodies, with auto parameters, with template parameters, inside bodies.
#include <cstdint>
#include <utility>

#include <stradsap/stradsap.hpp>

using namespace stradsap;

int main() {
  const int n = 600;
  dvector<double> x(n);
  dvector<int> k(n);
  parallel_for(n, [&x, &k](auto j) {
    x[j] = 0.5 * static_cast<double>(j);
    k[j] = static_cast<int>(j % 10);
  }, consistency::async);
  parallel_for(n, [&](const auto j) {
    const auto twice = [](const auto& v) { return v + v; };
    const auto at_least = []<class T>(T v, T bound) { return v < bound ? bound : v; };
    x[j] = at_least(twice(x[j]), 10.0);
    k[j] = at_least(twice(k[j]), 4);
  }, consistency::async);
  for (int j = 0; j < n; ++j) {
    const int wanted = j % 10 * 2 < 4 ? 4 : j % 10 * 2;
    if (std::as_const(x)[j] != (j < 10 ? 10 : j) || std::as_const(k)[j] != wanted) return 1;
  }
  return 0;
}

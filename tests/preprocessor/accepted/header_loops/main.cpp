// Loops and element types in a header beside the source.
#include "statistics.hpp"

#include <cstdint>
#include <utility>

#include <stradsap/stradsap.hpp>

int main() {
  const int n = 500;
  stradsap::dvector<double> x(n);
  stradsap::dvector<statistics::Moments> by_group(5);
  for (int j = 0; j < n; ++j) x[j] = j;
  statistics::shift(x, 1.0);
  const auto whole = statistics::moments(x);
  stradsap::async_for(n, [&x, &by_group](int64_t j) {
    statistics::Moments& m = by_group[j % 5];
    ++m.count;
    m.sum += x[j];
  });

  double sum = 0, squares = 0, group = 0;
  for (int j = 0; j < n; ++j) {
    sum += j + 1;
    squares += (j + 1.0) * (j + 1.0);
    if (j % 5 == 2) group += j + 1;
  }
  if (whole.count != n || whole.sum != sum || whole.squares != squares) return 1;
  return std::as_const(by_group)[2].mean() == group / (n / 5) ? 0 : 2;
}

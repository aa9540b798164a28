// A moving average with a window at the edges: reads around the index, writes at it.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::dvector;

template <class Series>
static double average(const Series& series, int64_t first, int64_t last) {
  double sum = 0;
  int64_t i = first;
  do {
    sum += series[i];
  } while (++i <= last);
  return sum / static_cast<double>(last - first + 1);
}

int main() {
  const int64_t n = 1000, half = 3;
  std::vector<double> raw(n);
  for (int64_t j = 0; j < n; ++j) raw[j] = static_cast<double>(j * 29 % 71);
  dvector<double> series(raw.begin(), raw.end()), smooth(n);
  stradsap::async_for(n, [&series, &smooth, half, n](int64_t j) {
    const int64_t first = std::max<int64_t>(0, j - half), last = std::min(n - 1, j + half);
    smooth[j] = average(std::as_const(series), first, last);
  });
  for (int64_t j = 0; j < n; ++j) {
    const double wanted = average(raw, std::max<int64_t>(0, j - half), std::min(n - 1, j + half));
    if (std::as_const(smooth)[j] != wanted) return 1;
  }
  return 0;
}

// Pointers to rows that helpers without const return: read by one loop, under two names, and written by another.
#include <algorithm>
#include <cstdint>
#include <cstdio>

#include <stradsap/stradsap.hpp>

using namespace stradsap;

struct matrix {
  int columns;
  dvector<double> entries;
  double* operator[](int64_t row) { return entries.data() + row * columns; }
  double* row(int64_t i) { return &entries[i * columns]; }
};

static double* row_of(matrix& m, int64_t row) { return m[row]; }

/// Both names are of one object, which the loop only reads.
static double products(matrix& one, matrix& other, int64_t n) {
  double sum = 0;
  async_for(n, [&](int64_t j) {
    const double* x = one[j];
    const double* y = row_of(other, n - 1 - j);
    for (int k = 0; k < 4; ++k) sum += x[k] * y[k];
  });
  return sum;
}

static void scale(matrix& m, int64_t n) {
  async_for(n, [&m](int64_t j) {
    double* row = row_of(m, j);
    for (int k = 0; k < 4; ++k) row[k] *= 0.5 + 0.25 * static_cast<double>(j % 3);
  });
}

/// Algorithms get such pointers as the ends of their ranges.
static void normalise(matrix& m, int64_t n) {
  async_for(n, [&m](int64_t j) {
    double* row = m.row(j);
    const double most = *std::max_element(row, row + 4);
    double* same = m[j];
    std::transform(same, same + 4, same, [most](double x) { return most > 0 ? x / most : x; });
  });
}

int main() {
  const int64_t n = 60;
  matrix m{4, dvector<double>(static_cast<std::size_t>(4 * n))};
  for (int64_t i = 0; i < 4 * n; ++i) m.entries[i] = static_cast<double>(i % 7);
  for (int pass = 0; pass < 3; ++pass) {
    std::printf("%.3f\n", products(m, m, n));
    scale(m, n);
  }
  normalise(m, n);
  for (int64_t j = 0; j < n; ++j) {
    const double most = *std::max_element(&m.entries[4 * j], &m.entries[4 * j] + 4);
    if (most != 0 && most != 1) return 1;
  }
  return products(m, m, n) > 0 ? 0 : 1;
}

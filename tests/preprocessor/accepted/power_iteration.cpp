// The first principal component by power iteration: the vector travels with the loop, its norm is a reduction.
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

using Vec = std::vector<double>;

static double dot(const Vec& a, const Vec& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

int main() {
  const int n = 120;
  std::vector<Vec> rows(n, Vec(n));
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < n; ++k) rows[i][k] = 1.0 / (1 + i + k) + (i == k ? 1 : 0);
  }
  stradsap::dvector<Vec> A(rows.begin(), rows.end());
  stradsap::dvector<double> y(n);
  Vec x(n, 1.0), expected(n, 1.0);
  for (int iteration = 0; iteration < 10; ++iteration) {
    double norm2 = 0;
    stradsap::parallel_for(n, [&A, &x, &y, &norm2](int64_t i) {
      const double value = dot(A[i], x);
      y[i] = value;
      norm2 += value * value;
    }, stradsap::consistency::async);
    for (int i = 0; i < n; ++i) x[i] = std::as_const(y)[i] / std::sqrt(norm2);

    Vec product(n);
    for (int i = 0; i < n; ++i) product[i] = dot(rows[i], expected);
    const double norm = std::sqrt(dot(product, product));
    for (int i = 0; i < n; ++i) expected[i] = product[i] / norm;
  }
  for (int i = 0; i < n; ++i) {
    if (std::abs(x[i] - expected[i]) > 1e-12) return 1;
  }
  return 0;
}

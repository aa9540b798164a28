// Additions through pointers and spans of rows: private copies, as for additions by subscripts.
#include <cmath>
#include <cstdio>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::async_for;
using stradsap::dvector;

struct moments {
  double sum = 0;
  long count = 0;
};

class clusters {
 public:
  clusters(int n, int k, int d) : N(n), K(k), D(d), x(n * d), sum(k * d), square(k * d), product(k * d), total(k) {
    for (int i = 0; i < N * D; ++i) x[i] = (i * 37 % 101) / 8.0;
  }
  void add() {
    async_for(N, [&](int i) {
      const double* row = &x[i * D];
      const double weight = 1 + i % 3;
      double* s = &sum[(i * 7 % K) * D];
      double* q = &square[(i * 7 % K) * D];
      double* p = product.data() + i * 7 % K * D;
      for (int j = 0; j < D; ++j) {
        p[j] += row[j];
        s[j] += weight * row[j];
        q[j] += weight * row[j] * row[j];
      }
      double* t = &total[i * 7 % K];
      *t += weight;
    });
  }
  double checksum() const {
    double all = 0;
    for (int c = 0; c < K; ++c) {
      all += (c + 1) * total[c];
      for (int j = 0; j < D; ++j) all += (c + 2) * sum[c * D + j] + (j + 1) * square[c * D + j] + product[c * D + j];
    }
    return all;
  }

 private:
  int N, K, D;
  dvector<double> x, sum, square, product, total;
};

int main() {
  clusters one(2000, 5, 6);
  one.add();

  const int n = 3000, bins = 16;
  dvector<int> key(n);
  for (int i = 0; i < n; ++i) key[i] = i * 29 % 97;
  dvector<moments> histogram(bins);
  async_for(n, [&](int i) {
    moments* bin = &histogram[key[i] % bins];
    bin->sum += key[i];
    bin->count += 1;
  });

  dvector<long> links(bins * 4), both(bins * 4);
  async_for(n, [&](int i) {
    auto row = links.span(key[i] % bins * 4, 4);
    for (std::size_t j = 0; j < row.size(); ++j) row[j] += i;
    for (int j = 0; j < 4; ++j) both.span(key[i] % bins * 4, 4)[j] -= j;
  });

  // the values before the additions are read: no private copies
  dvector<double> last(bins), seen(n);
  async_for(n, [&](int i) {
    double* at = &last[key[i] % bins];
    *at += 0.5;
    seen[i] = at[0];
  });
  double sum = 0, steps = 0;
  long count = 0;
  for (const moments& bin : histogram) {
    sum += bin.sum * (bin.count % 7);
    count += bin.count;
  }
  for (int k = 0; k < 4 * bins; ++k) count += k * (links[k] + both[k]);
  for (int i = 0; i < n; ++i) steps += seen[i] * (i % 5);
  std::printf("%.6f %.6f %ld %.6f\n", one.checksum(), sum, count, steps);
}

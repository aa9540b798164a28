// Pointers to rows of a length that is a member of the rows' object, named in its functions and in others.
#include <cstdio>

#include <stradsap/stradsap.hpp>

using stradsap::async_for;
using stradsap::dvector;

struct matrix {
  int K = 3;
  dvector<double> v = dvector<double>(120);
};

static void scale(matrix& X, int i, double by) {
  double* row = &X.v[i * X.K];
  for (int k = 0; k < X.K; ++k) row[k] = row[k] * by + i;
}

static void shift(matrix& X, int i) {
  const int n = X.K;
  double* row = &X.v[i * n];
  for (int k = 0; k < n; ++k) row[k] += 0.5;
}

class net {
 public:
  explicit net(int k) : K(k), w(40 * k, 1.0) {}
  double step(int i) {
    double* row = &w[i * K];
    for (int j = 0; j < K; ++j) row[j] += j + 0.25 * i;
    for (int j = K - 1; j >= 0; --j) row[j] *= 0.5;
    return length(i);
  }
  void run(int n) {
    async_for(n, [this](int i) {
      double* row = &w[i * K];
      for (int j = 0; j < this->K; ++j) row[j] += 2;
    });
  }
  void beside(int i) {
    const int K = 2;  // another K
    double* row = &w[i * this->K];
    for (int j = 0; j < K; ++j) row[j] -= 1;
  }
  double sum() const {
    double all = 0;
    for (const double x : w) all += x;
    return all;
  }

 private:
  double length(int i) const {
    const double* row = &w[i * K];
    double all = 0;
    for (int j = 0; j < K; ++j) all += row[j] * row[j];
    return all;
  }

  int K;
  dvector<double> w;
};

int main() {
  matrix a, b;
  b.K = 2;
  async_for(40, [&](int i) {
    scale(a, i, 2);
    scale(b, i, 3);
    shift(a, i);
  });
  double sum = 0;
  for (const double x : a.v) sum += x;
  for (const double x : b.v) sum += 10 * x;
  net one(7), two(5);
  dvector<double> lengths(40);
  async_for(40, [&](int i) {
    lengths[i] = one.step(i) + two.step(i);
    one.beside(i);
  });
  one.run(40);
  double length = 0;
  for (const double x : lengths) length += x;
  std::printf("%.6f %.6f %.6f %.6f\n", sum, one.sum(), two.sum(), length);
}

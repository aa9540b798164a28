// Functions that get several objects in one loop: matrices of one class, parts of one struct, two parameters.
#include <cstdint>
#include <cstdio>

#include <stradsap/stradsap.hpp>

using stradsap::async_for;
using stradsap::dvector;

class matrix {
 public:
  matrix(int64_t rows, int64_t columns) : columns_(columns), data_(rows * columns) {
    for (int64_t i = 0; i < rows * columns; ++i) data_[i] = static_cast<double>(i % 7) / 4;
  }
  double& operator()(int64_t r, int64_t c) { return data_[r * columns_ + c]; }
  const double& operator()(int64_t r, int64_t c) const { return data_[r * columns_ + c]; }
  int64_t columns() const { return columns_; }

 private:
  int64_t columns_;
  dvector<double> data_;
};

struct csr {
  dvector<int64_t> first;
  dvector<double> value;
  double sum(int64_t r) const {
    double all = 0;
    for (int64_t p = first[r]; p < first[r + 1]; ++p) all += value[p];
    return all;
  }
};

struct split {
  csr train, test;
  double both(int64_t r) const { return train.sum(r) + 2 * test.sum(r); }
};

struct tally {
  dvector<long> counts;
  long seen = 0;
  void count(int64_t k) {
    counts[k] += 1;
    ++seen;
  }
};

static csr made(int64_t rows, int64_t length) {
  csr X;
  X.first.resize(rows + 1);
  X.value.resize(rows * length);
  for (int64_t r = 0; r <= rows; ++r) X.first[r] = r * length;
  for (int64_t p = 0; p < rows * length; ++p) X.value[p] = static_cast<double>(p % 5) / 8;
  return X;
}

/// Moves a part of one row into a row of the other matrix. In any order, sums are exact.
static void pour(matrix& from, int64_t r, matrix& to, int64_t s) {
  for (int64_t c = 0; c < from.columns(); ++c) {
    from(r, c) -= static_cast<double>(c);
    to(s, c) += static_cast<double>(c);
  }
}

/// Both are read, and the product is written.
static void multiply(const matrix& A, const matrix& B, matrix& C, int64_t n) {
  async_for(n, [&](int64_t i) {
    for (int64_t k = 0; k < A.columns(); ++k) {
      for (int64_t j = 0; j < C.columns(); ++j) C(i, j) += A(i, k) * B(k, j);
    }
  });
}

static double trace(const matrix& A, const matrix& B, int64_t n) {
  double sum = 0;
  async_for(n, [&](int64_t i) { sum += A(i, i) - B(i, i) / 4; });
  return sum;
}

int main() {
  constexpr int64_t n = 40;
  matrix A(n, n), B(n, n), C(n, n);
  for (int pass = 0; pass < 3; ++pass) {
    multiply(A, B, C, n);
    async_for(n, [&](int64_t i) {
      for (int64_t c = 0; c < n; ++c) A(i, c) += C((i * 7 + pass) % n, c) / 64;  // C may change too, as far as is known
    });
    async_for(n, [&](int64_t i) {
      pour(A, i * 3 % n, B, i * 11 % n);
      pour(B, (i * 11 + 1) % n, A, i * 3 % n);
    });
    std::printf("%.17g\n", trace(A, B, n));
  }

  split data{made(50, 3), made(50, 4)};
  dvector<double> y(50);
  async_for(50, [&](int64_t r) { y[r] = data.train.sum(r) - data.test.sum(49 - r) + data.both(r); });

  tally even, odd;
  even.counts.resize(10);
  odd.counts.resize(10);
  async_for(500, [&](int64_t i) {
    if (i % 2 == 0) even.count(i % 10);
    else odd.count(i * i % 10);
  });
  double sum = 0;
  for (int64_t r = 0; r < 50; ++r) sum += y[r] * static_cast<double>(r);
  long counts = 0;
  for (int64_t k = 0; k < 10; ++k) counts += k * even.counts[k] - 2 * k * odd.counts[k];
  std::printf("%.17g %ld %ld %ld\n", sum, counts, even.seen, odd.seen);
}

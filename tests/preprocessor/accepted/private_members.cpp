// Classes that keep their containers private: a matrix, a sparse matrix with its own scan, a nested class, a template.
#include <cstdint>
#include <cstdio>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::async_for;
using stradsap::dvector;

template <class T> class matrix {
 public:
  matrix(int64_t rows, int64_t columns) : columns_(columns), data_(rows * columns) {}
  T& operator()(int64_t r, int64_t c) { return data_[r * columns_ + c]; }
  const T& operator()(int64_t r, int64_t c) const { return data_[r * columns_ + c]; }
  int64_t columns() const { return columns_; }

 private:
  int64_t columns_;
  dvector<T> data_;
};

class sparse {
  std::vector<int> first_{0};
  dvector<int> column_;
  dvector<double> value_;

 public:
  explicit sparse(int rows) {
    column_.resize(3 * rows);
    value_.resize(3 * rows);
    for (int r = 0; r < rows; ++r) {
      for (int k = 0; k < 3; ++k) {
        column_[3 * r + k] = (5 * r + 7 * k) % 20;
        value_[3 * r + k] = 1 + r % 4;
      }
      first_.push_back(3 * r + 3);
    }
  }
  double dot(const dvector<double>& w, int64_t r) const {
    double sum = 0;
    for (int p = first_[r]; p < first_[r + 1]; ++p) sum += value_[p] * w[column_[p]];
    return sum;
  }
};

class model {
  class layer {
    friend class model;
    dvector<double> bias_;
  };
  layer first_;
  double rate_ = 0.25;

 public:
  model() { first_.bias_.resize(20); }
  double& bias(int64_t k) { return first_.bias_[k]; }
  double bias(int64_t k) const { return first_.bias_[k]; }
  double rate() const { return rate_; }
  void slower() { rate_ /= 2; }
};

static double total(const matrix<float>& M, int64_t rows) {
  double sum = 0;
  async_for(rows, [&](int64_t r) {
    for (int64_t c = 0; c < M.columns(); ++c) sum += M(r, c);
  });
  return sum;
}

int main() {
  matrix<float> A(100, 8);
  const sparse X(60);
  model m;
  dvector<double> w(20, 0.5);
  for (int pass = 0; pass < 3; ++pass) {
    async_for(100, [&](int64_t i) {
      for (int64_t c = 0; c < A.columns(); ++c) A(i * 7 % 100, c) += static_cast<float>(1 + c);
    });
    async_for(60, [&](int64_t i) { m.bias(i % 20) += m.rate() * X.dot(w, i); });
    async_for(20, [&](int64_t k) { w[k] += m.bias(k); });
    m.slower();
  }
  double biases = 0;
  for (int64_t k = 0; k < 20; ++k) biases += m.bias(k) * static_cast<double>(k + 1);
  std::printf("%g %.17g\n", total(A, 100), biases);
}

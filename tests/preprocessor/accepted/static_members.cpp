// Static members, enum constants and static functions named through a captured object.
#include <cstdint>
#include <cstdio>

#include <stradsap/stradsap.hpp>

using stradsap::async_for;
using stradsap::dvector;

struct matrix {
  static constexpr int columns = 8;
  enum { shift = 3 };
  static const int step = 2;
  static int64_t row(int64_t i) { return i * columns; }

  dvector<double> data = dvector<double>(800);
  int used = 8;

  void add(int64_t i) {
    for (int k = 0; k < this->columns; ++k) data[this->row(i) + k] += k;
  }
};
struct pair_of {
  matrix left, right;
};

static void add_row(matrix& A, int64_t i, double by) {
  double* x = &A.data[i * A.columns];
  for (int k = 0; k < A.columns; ++k) x[k] += by;
}

int main() {
  matrix A;
  pair_of both;
  async_for(1000, [&](int64_t i) {
    double* x = &A.data[i % 100 * A.columns];
    for (int k = 0; k < A.columns; k += A.step) x[k] += static_cast<int>(A.shift);
  });
  async_for(1000, [&](int64_t i) {
    A.data[i * A.step % 700] += A.used + matrix::columns;
    add_row(A, i % 90, both.left.shift);
    both.left.data[both.right.row(i % 50)] += both.left.columns;
    A.add(i % 20);
  });
  double sum = 0;
  for (int i = 0; i < 800; ++i) sum += (i % 13) * (A.data[i] + both.left.data[i]);
  std::printf("%.17g\n", sum);
}

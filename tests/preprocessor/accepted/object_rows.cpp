// Rows from member functions, and from functions that get the object; their callers read the length from the object.
// In any order of iterations, each loop's result is that of the sequential program.
#include <cstdint>
#include <cstdio>
#include <span>

#include <stradsap/stradsap.hpp>

using stradsap::async_for;
using stradsap::dvector;

struct matrix {
  dvector<double> d = dvector<double>(800);
  int K = 8;
  double* row(int64_t i) { return &d[i * K]; }
  const double* row(int64_t i) const { return &d[i * K]; }
  double* row_beside(int64_t i, int K) { return &d[i * this->K + 0 * K]; }  // another K
  double* same_row(int64_t i) { return row(i); }
  auto span(int64_t i) { return d.span(i * K, K); }
};

struct derived : matrix {
  double scale = 0.5;
};

template <class T> struct table {
  dvector<T> d = dvector<T>(500);
  int width = 5;
  T* row(int64_t i) { return &d[i * width]; }
};

class owner {
 public:
  void run(int64_t n) {
    async_for(n, [this](int64_t i) {
      double* x = row(i % 100);
      for (int k = 0; k < K; ++k) x[k] += static_cast<double>(i);
      double* y = this->row(i % 90);
      for (int k = 0; k < this->K; ++k) y[k] -= 1;
    });
  }
  double sum() const {
    double all = 0;
    for (const double x : d) all += x;
    return all;
  }

 private:
  double* row(int64_t i) { return &d[i * K]; }
  int K = 4;
  dvector<double> d = dvector<double>(400);
};

static double* row_of(matrix& m, int64_t i) { return &m.d[i * m.K]; }

template <class T> static void print(const char* name, const dvector<T>& d) {
  double all = 0;
  for (std::size_t i = 0; i < d.size(); ++i) all += static_cast<double>(d[i]) * static_cast<double>(i % 17);
  std::printf("%s %.6f\n", name, all);
}

int main() {
  matrix A, B;
  B.K = 4;
  derived C;
  table<int> T;
  async_for(1000, [&](int64_t i) {
    double* x = A.row(i % 100);
    for (int k = 0; k < A.K; ++k) x[k] += static_cast<double>(i);
  });
  print("row", A.d);
  async_for(1000, [&](int64_t i) {
    double* x = A.row(i % 100);
    for (int k = 0; k < A.K; ++k) x[k] += 1;
    double* y = B.row(i % 30);
    for (int k = 0; k < B.K; ++k) y[k] += static_cast<double>(i);
  });
  print("two", A.d);
  print("two", B.d);
  async_for(1000, [&](int64_t i) {
    double* x = A.row_beside(i % 100, 3);
    for (int k = 0; k < A.K; ++k) x[k] += 2;
    double* y = A.same_row(i % 70);
    for (int k = 0; k < A.K; ++k) y[k] += 1;
    double* z = row_of(A, i % 60);
    for (int k = 0; k < A.K; ++k) z[k] -= 1;
  });
  print("others", A.d);
  async_for(1000, [&](int64_t i) {
    auto s = A.span(i % 100);
    double* x = s.data();
    for (int k = 0; k < A.K; ++k) x[k] += static_cast<double>(i);
  });
  print("span", A.d);
  async_for(1000, [&](int64_t i) {
    double* x = A.row(i % 100);
    for (int k = 0; k < A.K; ++k) x[k] += 1;
    int* y = T.row(i % 100);
    for (int k = 0; k < T.width; ++k) y[k] = y[k] / 2 + 3;
    double* z = C.row(i % 100);
    for (int k = 0; k < C.K; ++k) z[k] = z[k] * C.scale + 1;
  });
  print("last", A.d);
  print("table", T.d);
  print("derived", C.d);
  owner one;
  one.run(1000);
  std::printf("owner %.6f\n", one.sum());
}

// Gradient descent with its steps in main: last bits must not depend on the place of the elements.
//
//   fused_main ROWS COLUMNS PASSES
#include <stradsap/stradsap.hpp>

#include <cstdio>
#include <cstdlib>

int main(int, char** argv) {
  const int64_t rows = std::atoll(argv[1]), columns = std::atoll(argv[2]);
  const int passes = std::atoi(argv[3]);
  stradsap::dvector<double> X(rows * columns), y(rows), residual(rows), gradient(columns), w(columns);
  for (int64_t i = 0; i < rows * columns; ++i) X[i] = static_cast<double>(i * 7919 % 1000) / 1000;
  for (int64_t i = 0; i < rows; ++i) y[i] = static_cast<double>(i % 10);
  const double rate = 0.3 / static_cast<double>(rows * columns);
  double loss = 0;
  for (int pass = 0; pass < passes; ++pass) {
    loss = 0;
    stradsap::async_for(rows, [&](int64_t i) {
      double sum = -y[i];
      for (int64_t k = 0; k < columns; ++k) sum += X[i * columns + k] * w[k];
      residual[i] = sum;
      loss += sum * sum;
    });
    stradsap::async_for(columns, [&](int64_t k) {
      double sum = 0;
      for (int64_t i = 0; i < rows; ++i) sum += X[i * columns + k] * residual[i];
      gradient[k] = sum;
    });
    for (int64_t k = 0; k < columns; ++k) w[k] -= rate * gradient[k];
  }
  std::printf("%a\n", loss);
  return 0;
}

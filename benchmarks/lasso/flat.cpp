// examples/lasso/lasso.cpp with its columns in flat vectors (CSC).

#include "program.hpp"

#include <stradsap/stradsap.hpp>

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  const int64_t n = options.rows, m = options.columns;
  const float threshold = options.lambda * n;
  stradsap::dvector<int64_t> begin;
  stradsap::dvector<int> row;
  stradsap::dvector<float> value;
  stradsap::dvector<float> residual(n), beta(m), norm(m);
  make_columns(options, begin, row, value, residual);
  for (int64_t j = 0; j < m; ++j) {
    for (int64_t k = begin[j]; k < begin[j + 1]; ++k) norm[j] += value[k] * value[k];
  }

  for (int pass = 0; pass < options.passes; ++pass) {
    const double start = seconds_now();
    stradsap::async_for(m, [&](int64_t j) {
      if (norm[j] == 0) return;
      float product = norm[j] * beta[j];
      for (int64_t k = begin[j]; k < begin[j + 1]; ++k) product += value[k] * residual[row[k]];
      const float size = std::max(std::abs(product) - threshold, 0.0f) / norm[j];
      const float change = std::copysign(size, product) - beta[j];
      if (change != 0) {
        for (int64_t k = begin[j]; k < begin[j + 1]; ++k) residual[row[k]] -= change * value[k];
        beta[j] += change;
      }
    });
    const double seconds = seconds_now() - start;
    std::printf("pass=%d seconds=%.6f objective=%.6g\n", pass, seconds,
                objective(residual, beta, options.lambda));
  }
}

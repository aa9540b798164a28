// examples/nmf/sequential.cpp with its factors in flat vectors, and its matrix too (CSR).

#include "program.hpp"

static void make_flat_factors(auto& flat, int seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform;
  for (float& x : flat) x = 0.1f * uniform(random);
}

/// The products of all pairs of columns.
static std::vector<float> flat_products(const auto& flat) {
  std::vector<float> sums(K * K);
  for (size_t row = 0; row < flat.size(); row += K) {
    for (int a = 0; a < K; ++a) {
      for (int b = 0; b < K; ++b) sums[a * K + b] += flat[row + a] * flat[row + b];
    }
  }
  return sums;
}

static double flat_squared_error(const auto& begin, const auto& entries, const auto& W, const auto& H) {
  double error = 0;
  for (size_t i = 0; i + 1 < begin.size(); ++i) {
    for (int64_t at = begin[i]; at < begin[i + 1]; ++at) {
      float product = 0;
      for (int k = 0; k < K; ++k) product += W[i * K + k] * H[entries[at].index * K + k];
      error += entries[at].value * (entries[at].value - 2 * product);
    }
  }
  const std::vector<float> WW = flat_products(W), HH = flat_products(H);
  for (int k = 0; k < K * K; ++k) error += WW[k] * HH[k];
  return error;
}

/// A pass over the rows of W: `HH` has the products of H.
static void solve_rows(auto& W, const auto& begin, const auto& entries, const auto& H,
                       const std::vector<float>& HH) {
  const int64_t n = W.size() / K;
  for (int64_t i = 0; i < n; ++i) {
    float target[K] = {};
    for (int64_t at = begin[i]; at < begin[i + 1]; ++at) {
      for (int k = 0; k < K; ++k) target[k] += entries[at].value * H[entries[at].index * K + k];
    }
    float* w = &W[i * K];
    for (int k = 0; k < K; ++k) {
      float product = 0;
      for (int l = 0; l < K; ++l) product += HH[k * K + l] * w[l];
      w[k] = std::max(w[k] + (target[k] - product) / (HH[k * K + k] + 1e-9f), 0.0f);
    }
  }
}

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  const int64_t n = options.rows, m = options.columns;
  std::vector<int64_t> row_begin, column_begin;
  std::vector<Entry> by_row, by_column;
  make_matrix(options, row_begin, by_row, column_begin, by_column);
  std::vector<float> W(n * K), H(m * K);
  make_flat_factors(W, 2);
  make_flat_factors(H, 3);

  for (int pass = 0; pass < options.passes; ++pass) {
    const double start = seconds_now();
    solve_rows(W, row_begin, by_row, H, flat_products(H));
    solve_rows(H, column_begin, by_column, W, flat_products(W));
    const double seconds = seconds_now() - start;
    std::printf("pass=%d seconds=%.6f error=%.6g\n", pass, seconds,
                flat_squared_error(row_begin, by_row, W, H) / n);
  }
}

// nmf on StradsAP with the kernels of the rivals by hand: sixteen rows at a time, each in a SIMD lane.

#include <stradsap/stradsap.hpp>

#include "part.hpp"

/// The products of all rows.
static Square products_of(const stradsap::dvector<Factor>& rows) {
  stradsap::dvector<std::array<float, K>> sums(K);
  stradsap::async_for(rows.size(), [&](int64_t i) {
    for (int a = 0; a < K; ++a) {
      for (int b = 0; b < K; ++b) sums[a][b] += rows[i][a] * rows[i][b];
    }
  });
  Square found;
  for (int a = 0; a < K; ++a) std::copy(sums[a].begin(), sums[a].end(), found[a].begin());
  return found;
}

/// Solves for all rows of W.
static void solve(stradsap::dvector<Factor>& W, const stradsap::dvector<Row>& entries,
                  const stradsap::dvector<Factor>& H, const Square& HH) {
  const int64_t n = W.size();
  stradsap::async_for((n + group - 1) / group, [&](int64_t g) {
    const int64_t first = g * group, size = std::min<int64_t>(group, n - first);
    alignas(64) Columns targets = {}, numbers = {};
    for (int64_t i = 0; i < size; ++i) {
      const Row& row = entries[first + i];
      const Factor target = find_target(row.data(), row.data() + row.size(), H);
      for (int k = 0; k < K; ++k) {
        targets[k][i] = target[k];
        numbers[k][i] = W[first + i][k];
      }
    }
    solve_columns(targets, numbers, HH);
    for (int64_t i = 0; i < size; ++i) {
      for (int k = 0; k < K; ++k) W[first + i][k] = numbers[k][i];
    }
  });
}

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  stradsap::dvector<Row> by_row(options.rows), by_column(options.columns);
  make_matrix(by_row, by_column);
  stradsap::dvector<Factor> W(options.rows), H(options.columns);
  make_factors(W, 2);
  make_factors(H, 3);

  for (int pass = 0; pass < options.passes; ++pass) {
    const double start = seconds_now();
    solve(W, by_row, H, products_of(H));
    solve(H, by_column, W, products_of(W));
    const double seconds = seconds_now() - start;
    std::printf("pass=%d seconds=%.6f error=%.6g\n", pass, seconds,
                squared_error(by_row, W, H) / options.rows);
  }
  return 0;
}

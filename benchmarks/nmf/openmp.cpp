// nmf by hand with OpenMP: each thread owns a range of the rows of W, and one of those of H.
//
// OMP_NUM_THREADS sets the number of threads.

#include <omp.h>

#include <memory>

#include "part.hpp"

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  const int64_t n = options.rows, m = options.columns;
  const int threads = omp_get_max_threads();
  std::vector<Row> by_row(n), by_column(m);
  make_matrix(by_row, by_column);
  std::vector<Factor> W(n), H(m);
  make_factors(W, 2);
  make_factors(H, 3);
  const std::vector<int64_t> row_cuts = cut(by_row, threads), column_cuts = cut(by_column, threads);
  std::vector<std::unique_ptr<Part>> rows(threads), columns(threads);
  std::vector<Square> WW(threads), HH(threads);
#pragma omp parallel num_threads(threads)
  {
    const int t = omp_get_thread_num();
    rows[t] = std::make_unique<Part>(by_row, row_cuts[t], row_cuts[t + 1]);
    columns[t] = std::make_unique<Part>(by_column, column_cuts[t], column_cuts[t + 1]);
  }

  for (int pass = 0; pass < options.passes; ++pass) {
    const double start = seconds_now();
#pragma omp parallel num_threads(threads)
    {
      const int t = omp_get_thread_num();
      const auto sum = [](const std::vector<Square>& parts) {
        Square all = parts[0];
        for (size_t other = 1; other < parts.size(); ++other) add(all, parts[other]);
        return all;
      };
      HH[t] = products(columns[t]->rows_of(H));
#pragma omp barrier
      solve_rows(*rows[t], W, H, sum(HH));
      WW[t] = products(rows[t]->rows_of(W));
#pragma omp barrier
      solve_rows(*columns[t], H, W, sum(WW));
    }
    const double seconds = seconds_now() - start;
    std::printf("pass=%d seconds=%.6f error=%.6g\n", pass, seconds, squared_error(by_row, W, H) / n);
  }
  return 0;
}

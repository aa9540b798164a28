// nmf by hand with MPI: each rank owns a range of the rows of W, and one of those of H, and sends them to
// all.

#include "part.hpp"

#include "../mpi.hpp"

/// Sends each rank's rows of a factor to all ranks.
static void exchange(std::vector<Factor>& rows, const std::vector<int64_t>& cuts) {
  std::vector<int> sizes, offsets;
  for (size_t rank = 0; rank + 1 < cuts.size(); ++rank) {
    sizes.push_back(static_cast<int>((cuts[rank + 1] - cuts[rank]) * K));
    offsets.push_back(static_cast<int>(cuts[rank] * K));
  }
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, rows.data(), sizes.data(), offsets.data(), MPI_FLOAT,
                 MPI_COMM_WORLD);
}

static Square sum_of_products(std::span<const Factor> rows) {
  Square sum = products(rows);
  MPI_Allreduce(MPI_IN_PLACE, sum.data(), K * K, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const Options options = parse_options(argc, argv);
  const int64_t n = options.rows, m = options.columns;
  const int rank = mpi_rank(), ranks = mpi_size();
  std::vector<Row> by_row(n), by_column(m);
  make_matrix(by_row, by_column);
  std::vector<Factor> W(n), H(m);
  make_factors(W, 2);
  make_factors(H, 3);
  const std::vector<int64_t> row_cuts = cut(by_row, ranks), column_cuts = cut(by_column, ranks);
  const Part rows(by_row, row_cuts[rank], row_cuts[rank + 1]);
  const Part columns(by_column, column_cuts[rank], column_cuts[rank + 1]);

  for (int pass = 0; pass < options.passes; ++pass) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = seconds_now();
    solve_rows(rows, W, H, sum_of_products(columns.rows_of(H)));
    exchange(W, row_cuts);
    solve_rows(columns, H, W, sum_of_products(rows.rows_of(W)));
    exchange(H, column_cuts);
    const double seconds = seconds_now() - start;
    if (rank == 0)
      std::printf("pass=%d seconds=%.6f error=%.6g\n", pass, seconds, squared_error(by_row, W, H) / n);
  }
  MPI_Finalize();
  return 0;
}

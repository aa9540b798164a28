// PageRank by hand with MPI: a rank has a range of pages, with links in compressed sparse rows, and the
// shares of all pages. After a pass all ranks send each other their pages' shares.
//
// Options and output are those of the sequential original.

#include "part.hpp"

#include "../mpi.hpp"

static void train(const Options& options) {
  const int n = options.pages;
  const Web web(options);
  const std::vector<int> begin = cut(web, mpi_size());
  std::vector<int> counts;
  for (int rank = 0; rank < mpi_size(); ++rank) counts.push_back(begin[rank + 1] - begin[rank]);
  Part part(web, begin[mpi_rank()], begin[mpi_rank() + 1]);
  std::vector<double> share(n), next_share(n);
  double dangling = sum_over_ranks(part.begin(share.data()));
  const auto exchange = [&] {
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, share.data(), counts.data(), begin.data(), MPI_DOUBLE,
                   MPI_COMM_WORLD);
  };
  exchange();

  for (int pass = 0; pass < options.passes; ++pass) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = seconds_now();
    Sums sums = part.step(share.data(), next_share.data(), dangling);
    MPI_Allreduce(MPI_IN_PLACE, &sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    dangling = sums.dangling;
    share.swap(next_share);
    exchange();
    const double seconds = seconds_now() - start;
    if (mpi_rank() == 0) std::printf("pass=%d seconds=%.6f change=%.6g\n", pass, seconds, sums.change);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  train(parse_options(argc, argv));
  MPI_Finalize();
  return 0;
}

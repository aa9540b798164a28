// kmeans by hand with MPI: each rank owns points and sums.

#include "part.hpp"

#include "../mpi.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const Options options = parse_options(argc, argv);
  const int64_t n = options.points;
  const int rank = mpi_rank(), ranks = mpi_size(), k = options.clusters;
  std::vector<Point> points(n);
  make_points(points, k);
  std::vector<Point> centers(points.begin(), points.begin() + k);
  const std::vector<Point> mine(points.begin() + n * rank / ranks, points.begin() + n * (rank + 1) / ranks);
  std::vector<Point>().swap(points);
  Sums sums(k);

  for (int pass = 0; pass < options.passes; ++pass) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = seconds_now();
    sums.clear();
    sums.add(mine.data(), mine.data() + mine.size(), make_groups(centers));
    MPI_Allreduce(MPI_IN_PLACE, sums.points.data(), k * D, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, sums.counts.data(), k, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    sums.move(centers);
    const double inertia = sum_over_ranks(sums.inertia), seconds = seconds_now() - start;
    if (rank == 0) std::printf("pass=%d seconds=%.6f inertia=%.6g\n", pass, seconds, inertia / n);
  }
  MPI_Finalize();
  return 0;
}

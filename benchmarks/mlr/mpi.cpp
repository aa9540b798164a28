// mlr by hand with MPI: each rank owns a range of features.
//
// The ranks add up their parts of the scores so that each gets the sums for its share of the mini-batch. It
// turns them into errors and sends these to all ranks.

#include "part.hpp"

#include "../mpi.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Options options = parse_options(argc, argv);
  const std::vector<Sample> samples = samples_of(options);
  const int64_t n = samples.size();
  const int rank = mpi_rank(), ranks = mpi_size();
  Part part(samples, options.features, rank, ranks);
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  const int64_t share = (options.batch + ranks - 1) / ranks;  // samples of a mini-batch on each rank
  const int share_floats = static_cast<int>(share * sizeof(Classes) / sizeof(float));
  std::vector<Classes> scores(share * ranks), mine(share);
  std::mt19937 random(2);

  for (int pass = 0; pass < options.passes; ++pass) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = seconds_now();
    std::shuffle(order.begin(), order.end(), random);
    double loss = 0;
    for (int64_t first = 0; first < n; first += options.batch) {
      const int64_t size = std::min(options.batch, n - first);
      for (int64_t i = 0; i < size; ++i) scores[i] = part.scores(order[first + i]);
      MPI_Reduce_scatter_block(scores.data(), mine.data(), share_floats, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
      for (int64_t i = 0; i < share && rank * share + i < size; ++i) {
        loss += part.find_errors(order[first + rank * share + i], mine[i]);
      }
      MPI_Allgather(mine.data(), share_floats, MPI_FLOAT, scores.data(), share_floats, MPI_FLOAT,
                    MPI_COMM_WORLD);
      for (int64_t i = 0; i < size; ++i) part.take_step(order[first + i], scores[i], options.rate / size);
    }
    loss = sum_over_ranks(loss);
    const double seconds = seconds_now() - start;
    if (rank == 0) std::printf("pass=%d seconds=%.6f loss=%.6g\n", pass, seconds, loss / n);
  }
  MPI_Finalize();
  return 0;
}

// GloVe by hand with MPI: a rank has some words, and one part of the contexts in each round. After a round
// the contexts travel to the next rank round a ring.
//
// Options and output are those of the sequential original.

#include "part.hpp"

#include "../mpi.hpp"

static void train(Options options) {
  const int rank = mpi_rank(), ranks = mpi_size();
  std::vector<Pair> pairs;
  options.data.empty() ? make_pairs(pairs, options) : read_pairs(pairs, options);
  const Cut cut(pairs, options.words, ranks);
  const Layout layout(options.dim);
  std::vector<float> words, contexts;
  begin_model(words, contexts, cut, layout);
  const Part part(pairs, cut, options, rank);
  const auto rows = [&](int p) { return contexts.data() + int64_t{cut.first_row[p]} * layout.stride; };

  for (int pass = 0; pass < options.passes; ++pass) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = seconds_now();
    double loss = 0;
    for (int round = 0; round < ranks; ++round) {
      const int mine = (rank + round) % ranks, next = (mine + 1) % ranks;
      loss += part.train(mine, words.data(), contexts.data());
      if (ranks == 1) continue;
      MPI_Sendrecv(rows(mine), static_cast<int>(rows(mine + 1) - rows(mine)), MPI_FLOAT,
                   (rank + ranks - 1) % ranks, 0, rows(next), static_cast<int>(rows(next + 1) - rows(next)),
                   MPI_FLOAT, (rank + 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    loss = sum_over_ranks(loss);
    const double seconds = seconds_now() - start;
    if (rank == 0) std::printf("pass=%d seconds=%.6f loss=%.6g\n", pass, seconds, loss / pairs.size());
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  train(parse_options(argc, argv));
  MPI_Finalize();
  return 0;
}

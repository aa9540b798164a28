// LDA by hand with MPI: a rank has a range of documents, and one part of the words in each round. After a
// round the counts of words travel to the next rank round a ring.
//
// Options and output are those of the sequential original.

#include "part.hpp"

#include "../mpi.hpp"

static void train(Options options) {
  const int rank = mpi_rank(), ranks = mpi_size();
  std::vector<Token> tokens;
  options.data.empty() ? make_tokens(tokens, options) : read_tokens(tokens, options);
  const Cut cut(tokens, options, ranks);
  Part part(tokens, cut, options, rank);
  const int stride = part.stride();
  std::vector<int> nw(options.words * stride);
  part.count_words(nw.data());
  MPI_Allreduce(MPI_IN_PLACE, nw.data(), static_cast<int>(nw.size()), MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  std::vector<int> first, count, change(options.topics);
  for (int r = 0; r < ranks; ++r) {
    first.push_back(cut.first_row[r] * stride);
    count.push_back(cut.first_row[r + 1] * stride - first.back());
  }

  for (int pass = 0; pass < options.passes; ++pass) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = seconds_now();
    for (int round = 0; round < ranks; ++round) {
      const int mine = (rank + round) % ranks, next = (mine + 1) % ranks;
      part.sample(mine, nw.data());
      part.changes(change.data());
      MPI_Allreduce(MPI_IN_PLACE, change.data(), options.topics, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      part.add_changes(change.data());
      if (ranks == 1) continue;
      MPI_Sendrecv(nw.data() + first[mine], count[mine], MPI_INT, (rank + ranks - 1) % ranks, 0,
                   nw.data() + first[next], count[next], MPI_INT, (rank + 1) % ranks, 0, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
    }
    const double seconds = seconds_now() - start;
    // Each rank has again the words of its first round.
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, nw.data(), count.data(), first.data(), MPI_INT,
                   MPI_COMM_WORLD);
    const double sum = sum_over_ranks(part.log_likelihood_of_part(nw.data()));
    if (rank == 0)
      std::printf("pass=%d seconds=%.6f log_likelihood=%.6g\n", pass, seconds, sum / tokens.size());
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  train(parse_options(argc, argv));
  MPI_Finalize();
  return 0;
}

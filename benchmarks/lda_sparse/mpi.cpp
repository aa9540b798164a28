// Sparse LDA by hand with MPI: a rank has a range of documents, and one part of the words in each round.
// After a round the counts of words travel to the next rank round a ring.
//
// Options and output are those of the sequential original.

#include "part.hpp"

#include "../mpi.hpp"

static void train(Options options) {
  const int rank = mpi_rank(), ranks = mpi_size(), length = Row::length(options.topics);
  std::vector<Token> tokens;
  options.data.empty() ? make_tokens(tokens, options) : read_tokens(tokens, options);
  const Cut cut(tokens, options, ranks);
  Part part(tokens, cut, options, rank);
  std::vector<int> nw(options.words * length), totals, first, count;
  for (const Token& t : tokens)
    Row{nw.data() + cut.row_of_word[t.word] * length, options.topics}.add(t.topic);
  for (int r = 0; r < ranks; ++r) {
    first.push_back(cut.first_row[r] * length);
    count.push_back(cut.first_row[r + 1] * length - first.back());
  }
  const auto add_up = [&] {
    totals = part.totals();
    MPI_Allreduce(MPI_IN_PLACE, totals.data(), options.topics, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  };
  add_up();

  for (int pass = 0; pass < options.passes; ++pass) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = seconds_now();
    part.begin(totals);
    for (int round = 0; round < ranks; ++round) {
      const int mine = (rank + round) % ranks, next = (mine + 1) % ranks;
      part.sample(mine, nw.data());
      if (ranks == 1) continue;
      MPI_Sendrecv(nw.data() + first[mine], count[mine], MPI_INT, (rank + ranks - 1) % ranks, 0,
                   nw.data() + first[next], count[next], MPI_INT, (rank + 1) % ranks, 0, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
    }
    add_up();
    const double seconds = seconds_now() - start;
    // Each rank has again the words of its first round.
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, nw.data(), count.data(), first.data(), MPI_INT,
                   MPI_COMM_WORLD);
    const double sum = sum_over_ranks(part.log_likelihood_of_part(nw.data(), totals));
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

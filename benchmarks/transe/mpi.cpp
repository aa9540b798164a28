// TransE by hand with MPI: a rank has some columns of all vectors. Ranks add up their parts of the distances
// of a batch at once.
//
// Options and output are those of the sequential original.

#include "part.hpp"

#include "../mpi.hpp"

static void add_over_ranks(float* x, int n) {
  MPI_Allreduce(MPI_IN_PLACE, x, n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

static void train(Options options) {
  std::vector<Triple> triples(options.data.empty() ? options.triples : 0);
  options.data.empty() ? make_triples(triples, options) : read_triples(triples, options);
  const int count = static_cast<int>(triples.size());
  Part part(triples, options, mpi_rank(), mpi_size());
  std::vector<float> sums(std::max(options.entities, 2 * batch));

  for (int pass = 0; pass < options.passes; ++pass) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = seconds_now();
    part.squared_norms(sums.data());
    add_over_ranks(sums.data(), options.entities);
    part.normalise(sums.data());
    for (int first = 0; first < count; first += batch) {
      const int n = std::min(batch, count - first);
      part.distances(pass, first, n, sums.data());
      add_over_ranks(sums.data(), 2 * n);
      part.steps(n, sums.data());
    }
    const double seconds = seconds_now() - start;
    std::vector<std::vector<float>> all(options.entities + options.relations,
                                        std::vector<float>(options.dim));
    part.collect(all);
    for (auto& row : all) add_over_ranks(row.data(), options.dim);
    if (mpi_rank() > 0) continue;
    std::printf("pass=%d seconds=%.6f accuracy=%.6g\n", pass, seconds,
                accuracy_of(all, triples, options.entities));
    if (pass + 1 == options.passes && !options.evaluate.empty()) evaluate_all(all, triples, options);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  train(parse_options(argc, argv));
  MPI_Finalize();
  return 0;
}

// svm by hand with MPI: each rank owns samples, and copies of w are merged after each round.

#include "part.hpp"

#include "../mpi.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const Options options = parse_options(argc, argv);
  Part part(options, mpi_rank(), mpi_size());
  std::vector<float> w(options.features);
  SharedModel shared(w);

  for (int pass = 0; pass < options.passes; ++pass) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = seconds_now();
    part.begin_pass();
    for (int64_t round = 0; round < rounds; ++round) {
      part.run_round(round, w.data());
      shared.add_changes([&](int64_t f) { return part.scale(f); });
    }
    const double seconds = seconds_now() - start;
    const std::vector<float> none;
    const double sum = objective(none, w) + sum_over_ranks(objective(part.alpha(), none));
    if (mpi_rank() == 0)
      std::printf("pass=%d seconds=%.6f objective=%.6g\n", pass, seconds, sum / options.samples);
  }
  MPI_Finalize();
  return 0;
}

// mlp by hand with MPI: each rank takes a share of each mini-batch, and all ranks take the same step.

#include "part.hpp"

#include "../mpi.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const Options options = parse_options(argc, argv);
  const int64_t n = options.samples;
  const int rank = mpi_rank(), ranks = mpi_size();
  std::vector<Sample> samples(n);
  make_samples(samples);
  Network network = make_network(), gradient{};

  for (int pass = 0; pass < options.passes; ++pass) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = seconds_now();
    double loss = 0;
    for (int64_t first = 0; first < n; first += options.batch) {
      const int64_t size = std::min(options.batch, n - first);
      const Sample* const batch = &samples[first];
      gradient = {};
      loss += add_gradient(network, batch + size * rank / ranks, batch + size * (rank + 1) / ranks, gradient);
      MPI_Allreduce(MPI_IN_PLACE, gradient.data(), network_size, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
      const float rate = options.rate / size;
      float *const w = network.data(), *const g = gradient.data();
#pragma GCC ivdep
      for (int k = 0; k < network_size; ++k) w[k] -= rate * g[k];
    }
    loss = sum_over_ranks(loss);
    const double seconds = seconds_now() - start;
    if (rank == 0) std::printf("pass=%d seconds=%.6f loss=%.6g\n", pass, seconds, loss / n);
  }
  MPI_Finalize();
  return 0;
}

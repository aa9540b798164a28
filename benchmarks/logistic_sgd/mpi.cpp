// logistic_sgd by hand with MPI: local SGD.

#include "part.hpp"

#include "../mpi.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const Options options = parse_options(argc, argv);
  const int64_t n = options.samples;
  const int rank = mpi_rank(), ranks = mpi_size();
  const Rows X = make_rows(options);
  const std::vector<float> scales = change_scales(X, options.features, ranks);
  const auto scale = [&](int64_t f) { return scales[f]; };
  std::vector<float> w(options.features);
  SharedModel shared(w);

  for (int pass = 0; pass < options.passes; ++pass) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = seconds_now();
    const float rate = options.rate / std::sqrt(1.0f + pass);
    double loss = 0;
    for (int64_t first = 0; first < n; first += round_samples) {
      const int64_t size = std::min(round_samples, n - first);
      loss += run_samples(X, first + size * rank / ranks, first + size * (rank + 1) / ranks, rate, w.data());
      shared.add_changes(scale);
    }
    loss = sum_over_ranks(loss);
    const double seconds = seconds_now() - start;
    if (rank == 0) std::printf("pass=%d seconds=%.6f loss=%.6g\n", pass, seconds, loss / n);
  }
  MPI_Finalize();
  return 0;
}

// lasso by hand with MPI: each rank owns columns, and copies of the residual are merged after each round.

#include "part.hpp"

#include "../mpi.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const Options options = parse_options(argc, argv);
  std::vector<float> residual;
  Part part(options, mpi_rank(), mpi_size(), residual);
  SharedModel shared(residual);

  for (int pass = 0; pass < options.passes; ++pass) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = seconds_now();
    for (int64_t round = 0; round < rounds; ++round) {
      part.run_round(round, residual.data());
      shared.add_changes();
    }
    const double seconds = seconds_now() - start;
    std::vector<float> beta = part.beta();
    MPI_Allreduce(MPI_IN_PLACE, beta.data(), static_cast<int>(beta.size()), MPI_FLOAT, MPI_SUM,
                  MPI_COMM_WORLD);
    if (mpi_rank() == 0)
      std::printf("pass=%d seconds=%.6f objective=%.6g\n", pass, seconds,
                  objective(residual, beta, options.lambda));
  }
  MPI_Finalize();
  return 0;
}

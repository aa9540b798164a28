// lasso by hand with OpenMP: each thread owns columns, and copies of the residual are merged after each
// round.
//
// OMP_NUM_THREADS sets the number of threads.

#include <omp.h>

#include <memory>

#include "part.hpp"

#include "../copies.hpp"

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  const int threads = omp_get_max_threads();
  std::vector<std::vector<float>> residuals(threads);
  std::vector<std::unique_ptr<Part>> parts(threads);
#pragma omp parallel num_threads(threads)
  {
    const int t = omp_get_thread_num();
    parts[t] = std::make_unique<Part>(options, t, threads, residuals[t]);
  }
  copies residual(residuals[0], threads);

  for (int pass = 0; pass < options.passes; ++pass) {
    const double start = seconds_now();
#pragma omp parallel num_threads(threads)
    {
      const int t = omp_get_thread_num();
      for (int64_t round = 0; round < rounds; ++round) {
        parts[t]->run_round(round, residual.of(t));
#pragma omp barrier
        residual.merge(t, [](int64_t) { return 1.0f; });
#pragma omp barrier
      }
    }
    const double seconds = seconds_now() - start;
    std::vector<float> beta(options.columns);
    for (const auto& part : parts) {
      for (int64_t j = 0; j < options.columns; ++j) beta[j] += part->beta()[j];
    }
    std::printf("pass=%d seconds=%.6f objective=%.6g\n", pass, seconds,
                objective(residual.merged(), beta, options.lambda));
  }
  return 0;
}

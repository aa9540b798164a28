// svm by hand with OpenMP: each thread owns samples, and copies of w are merged after each round.
//
// OMP_NUM_THREADS sets the number of threads.

#include <omp.h>

#include <memory>

#include "part.hpp"

#include "../copies.hpp"

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  const int threads = omp_get_max_threads();
  std::vector<std::unique_ptr<Part>> parts(threads);
#pragma omp parallel num_threads(threads)
  parts[omp_get_thread_num()] = std::make_unique<Part>(options, omp_get_thread_num(), threads);
  copies w(std::vector<float>(options.features), threads);

  for (int pass = 0; pass < options.passes; ++pass) {
    const double start = seconds_now();
#pragma omp parallel num_threads(threads)
    {
      const int t = omp_get_thread_num();
      parts[t]->begin_pass();
      for (int64_t round = 0; round < rounds; ++round) {
        parts[t]->run_round(round, w.of(t));
#pragma omp barrier
        w.merge(t, [&](int64_t f) { return parts[t]->scale(f); });
#pragma omp barrier
      }
    }
    const double seconds = seconds_now() - start;
    double sum = objective(std::vector<float>(), w.merged());
    for (const auto& part : parts) sum += objective(part->alpha(), std::vector<float>());
    std::printf("pass=%d seconds=%.6f objective=%.6g\n", pass, seconds, sum / options.samples);
  }
  return 0;
}

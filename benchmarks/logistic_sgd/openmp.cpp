// logistic_sgd by hand with OpenMP: local SGD. OMP_NUM_THREADS sets the number of threads.

#include <omp.h>

#include "part.hpp"

#include "../copies.hpp"

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  const int64_t n = options.samples;
  const int threads = omp_get_max_threads();
  const Rows X = make_rows(options);
  const std::vector<float> scales = change_scales(X, options.features, threads);
  const auto scale = [&](int64_t f) { return scales[f]; };
  copies w(std::vector<float>(options.features), threads);

  for (int pass = 0; pass < options.passes; ++pass) {
    const double start = seconds_now();
    const float rate = options.rate / std::sqrt(1.0f + pass);
    double loss = 0;
#pragma omp parallel num_threads(threads) reduction(+ : loss)
    {
      const int64_t t = omp_get_thread_num();
      for (int64_t first = 0; first < n; first += round_samples) {
        const int64_t size = std::min(round_samples, n - first);
        loss += run_samples(X, first + size * t / threads, first + size * (t + 1) / threads, rate, w.of(t));
#pragma omp barrier
        w.merge(t, scale);
#pragma omp barrier
      }
    }
    std::printf("pass=%d seconds=%.6f loss=%.6g\n", pass, seconds_now() - start, loss / n);
  }
  return 0;
}

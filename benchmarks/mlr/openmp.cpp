// mlr by hand with OpenMP: each thread owns a range of features. OMP_NUM_THREADS sets the number of threads.

#include <omp.h>

#include <memory>

#include "part.hpp"

int main(int argc, char** argv) {
  Options options = parse_options(argc, argv);
  const std::vector<Sample> samples = samples_of(options);
  const int64_t n = samples.size();
  const int threads = omp_get_max_threads();
  std::vector<std::unique_ptr<Part>> parts(threads);
#pragma omp parallel num_threads(threads)
  parts[omp_get_thread_num()] =
      std::make_unique<Part>(samples, options.features, omp_get_thread_num(), threads);
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::vector<std::vector<Classes>> scores(threads, std::vector<Classes>(options.batch));
  std::mt19937 random(2);

  for (int pass = 0; pass < options.passes; ++pass) {
    const double start = seconds_now();
    std::shuffle(order.begin(), order.end(), random);
    double loss = 0;
#pragma omp parallel num_threads(threads) reduction(+ : loss)
    {
      const int t = omp_get_thread_num();
      Part& part = *parts[t];
      std::vector<Classes>& errors = scores[0];
      for (int64_t first = 0; first < n; first += options.batch) {
        const int64_t size = std::min(options.batch, n - first);
        for (int64_t i = 0; i < size; ++i) scores[t][i] = part.scores(order[first + i]);
#pragma omp barrier
        for (int64_t i = size * t / threads; i < size * (t + 1) / threads; ++i) {
          for (int other = 1; other < threads; ++other) {
            for (int r = 0; r < registers; ++r) errors[i].x[r] += scores[other][i].x[r];
          }
          loss += part.find_errors(order[first + i], errors[i]);
        }
#pragma omp barrier
        for (int64_t i = 0; i < size; ++i) part.take_step(order[first + i], errors[i], options.rate / size);
        // All threads read the errors, which thread 0 overwrites in the next round.
#pragma omp barrier
      }
    }
    std::printf("pass=%d seconds=%.6f loss=%.6g\n", pass, seconds_now() - start, loss / n);
  }
  return 0;
}

// TransE by hand with OpenMP: a thread has some columns of all vectors, so threads share none of them. They
// meet at two barriers for each batch.
//
// OMP_NUM_THREADS sets the number of threads. Options and output are those of the sequential original.

#include <omp.h>

#include <memory>

#include "part.hpp"

/// Sums of the threads' rows. All threads call `add`, and get the same sums.
class Sums {
 public:
  Sums(int threads, int n) : parts_(threads, std::vector<float>(n)), sums_(parts_) {}
  float* part() { return parts_[omp_get_thread_num()].data(); }
  const float* add(int n) {
    float* sum = sums_[omp_get_thread_num()].data();
    std::fill(sum, sum + n, 0.0f);
#pragma omp barrier
    for (const auto& part : parts_) {
      for (int i = 0; i < n; ++i) sum[i] += part[i];
    }
#pragma omp barrier
    return sum;
  }

 private:
  std::vector<std::vector<float>> parts_, sums_;
};

int main(int argc, char** argv) {
  Options options = parse_options(argc, argv);
  const int threads = std::min(omp_get_max_threads(), options.dim);
  std::vector<Triple> triples(options.data.empty() ? options.triples : 0);
  options.data.empty() ? make_triples(triples, options) : read_triples(triples, options);
  const int count = static_cast<int>(triples.size());
  std::vector<std::unique_ptr<Part>> parts(threads);
#pragma omp parallel num_threads(threads)
  {
    const int t = omp_get_thread_num();
    parts[t] = std::make_unique<Part>(triples, options, t, threads);
  }
  Sums sums(threads, std::max(options.entities, 2 * batch));
  std::vector<std::vector<float>> all(options.entities + options.relations, std::vector<float>(options.dim));

  for (int pass = 0; pass < options.passes; ++pass) {
    const double start = seconds_now();
#pragma omp parallel num_threads(threads)
    {
      Part& part = *parts[omp_get_thread_num()];
      part.squared_norms(sums.part());
      part.normalise(sums.add(options.entities));
      for (int first = 0; first < count; first += batch) {
        const int n = std::min(batch, count - first);
        part.distances(pass, first, n, sums.part());
        part.steps(n, sums.add(2 * n));
      }
    }
    const double seconds = seconds_now() - start;
    for (const auto& part : parts) part->collect(all);
    std::printf("pass=%d seconds=%.6f accuracy=%.6g\n", pass, seconds,
                accuracy_of(all, triples, options.entities));
  }
  if (!options.evaluate.empty()) evaluate_all(all, triples, options);
  return 0;
}

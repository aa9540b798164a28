// mlp by hand with OpenMP: each thread takes a share of each mini-batch, and steps for a share of the
// weights.
//
// OMP_NUM_THREADS sets the number of threads.

#include <omp.h>

#include "part.hpp"

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  const int64_t n = options.samples;
  const int threads = omp_get_max_threads();
  std::vector<Sample> samples(n);
  make_samples(samples);
  Network network = make_network();
  std::vector<Network> gradients(threads);

  for (int pass = 0; pass < options.passes; ++pass) {
    const double start = seconds_now();
    double loss = 0;
#pragma omp parallel num_threads(threads) reduction(+ : loss)
    {
      const int64_t t = omp_get_thread_num();
      const int64_t begin = network_size / 16 * t / threads * 16,
                    end = network_size / 16 * (t + 1) / threads * 16;
      for (int64_t first = 0; first < n; first += options.batch) {
        const int64_t size = std::min(options.batch, n - first);
        const Sample* const batch = &samples[first];
        loss +=
            add_gradient(network, batch + size * t / threads, batch + size * (t + 1) / threads, gradients[t]);
#pragma omp barrier
        const float rate = options.rate / size;
        for (Network& gradient : gradients) {
          float *const w = network.data(), *const g = gradient.data();
#pragma GCC ivdep
          for (int64_t k = begin; k < end; ++k) {
            w[k] -= rate * g[k];
            g[k] = 0;
          }
        }
#pragma omp barrier
      }
    }
    std::printf("pass=%d seconds=%.6f loss=%.6g\n", pass, seconds_now() - start, loss / n);
  }
  return 0;
}

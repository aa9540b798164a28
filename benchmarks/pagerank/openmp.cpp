// PageRank by hand with OpenMP: a thread has a range of pages, with links in compressed sparse rows. A pass
// reads the shares of the previous one and writes those of the next, so there is one barrier a pass.
//
// OMP_NUM_THREADS sets the number of threads. Options and output are those of the sequential original.

#include <omp.h>

#include <memory>

#include "part.hpp"

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  const int n = options.pages, threads = omp_get_max_threads();
  const Web web(options);
  const std::vector<int> begin = cut(web, threads);
  std::vector<std::unique_ptr<Part>> parts(threads);
  std::vector<double> share(n), next_share(n);
  double dangling = 0;
#pragma omp parallel num_threads(threads) reduction(+ : dangling)
  {
    const int t = omp_get_thread_num();
    parts[t] = std::make_unique<Part>(web, begin[t], begin[t + 1]);
    dangling += parts[t]->begin(share.data());
  }

  for (int pass = 0; pass < options.passes; ++pass) {
    const double start = seconds_now();
    double next_dangling = 0, change = 0;
#pragma omp parallel num_threads(threads) reduction(+ : next_dangling, change)
    {
      const Sums sums = parts[omp_get_thread_num()]->step(share.data(), next_share.data(), dangling);
      next_dangling += sums.dangling;
      change += sums.change;
    }
    dangling = next_dangling;
    share.swap(next_share);
    std::printf("pass=%d seconds=%.6f change=%.6g\n", pass, seconds_now() - start, change);
  }
  return 0;
}

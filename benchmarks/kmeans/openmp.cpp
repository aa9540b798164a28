// kmeans by hand with OpenMP: each thread owns points and sums. OMP_NUM_THREADS sets the number of threads.

#include <omp.h>

#include <memory>

#include "part.hpp"

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  const int64_t n = options.points;
  const int threads = omp_get_max_threads();
  std::vector<Point> points(n);
  make_points(points, options.clusters);
  std::vector<Point> centers(points.begin(), points.begin() + options.clusters);
  std::vector<std::unique_ptr<Sums>> sums(threads);
#pragma omp parallel num_threads(threads)
  sums[omp_get_thread_num()] = std::make_unique<Sums>(options.clusters);

  for (int pass = 0; pass < options.passes; ++pass) {
    const double start = seconds_now();
    const std::vector<Group> groups = make_groups(centers);
#pragma omp parallel num_threads(threads)
    {
      const int64_t t = omp_get_thread_num();
      sums[t]->clear();
      sums[t]->add(&points[0] + n * t / threads, &points[0] + n * (t + 1) / threads, groups);
    }
    for (int t = 1; t < threads; ++t) sums[0]->add(*sums[t]);
    sums[0]->move(centers);
    std::printf("pass=%d seconds=%.6f inertia=%.6g\n", pass, seconds_now() - start, sums[0]->inertia / n);
  }
  return 0;
}

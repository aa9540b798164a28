// Label propagation by hand with OpenMP: a thread has a range of nodes, and sees the labels of other threads'
// nodes as they change, as the sequential program does with earlier nodes. Threads count into private arrays.
//
// OMP_NUM_THREADS sets the number of threads. Options and output are those of the sequential original.

#include <omp.h>

#include <memory>

#include "part.hpp"

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  const int n = options.nodes, threads = omp_get_max_threads();
  const Graph graph = make_graph(options);
  const int64_t max_degree = max_degree_of(graph);
  const std::vector<int> begin = cut(graph, threads);
  std::vector<int> label(n);
  std::iota(label.begin(), label.end(), 0);
  std::vector<int64_t> histogram(max_degree + 1), volume(n);
  std::vector<std::unique_ptr<Part>> parts(threads);
#pragma omp parallel num_threads(threads)
  parts[omp_get_thread_num()] = std::make_unique<Part>(graph, max_degree);

  for (int pass = 0; pass < options.passes; ++pass) {
    const double start = seconds_now();
#pragma omp parallel num_threads(threads)
    {
      const int t = omp_get_thread_num();
      parts[t]->propagate(label.data(), begin[t], begin[t + 1]);
#pragma omp barrier
      parts[t]->count(label.data(), begin[t], begin[t + 1]);
#pragma omp barrier
#pragma omp for schedule(static)
      for (int c = 0; c < n; ++c) {
        volume[c] = 0;
        for (const auto& part : parts) volume[c] += part->volume[c];
      }
    }
    std::fill(histogram.begin(), histogram.end(), 0);
    for (const auto& part : parts) {
      for (int64_t d = 0; d <= max_degree; ++d) histogram[d] += part->histogram[d];
    }
    const double seconds = seconds_now() - start;
    std::printf("pass=%d seconds=%.6f modularity=%.6g\n", pass, seconds,
                modularity(histogram, volume, static_cast<double>(graph.neighbour.size())));
  }
  return 0;
}

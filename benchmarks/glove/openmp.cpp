// GloVe by hand with OpenMP: a thread has some words, and one part of the contexts in each round. A round
// ends with a barrier.
//
// OMP_NUM_THREADS sets the number of threads. Options and output are those of the sequential original.

#include <omp.h>

#include <memory>

#include "part.hpp"

int main(int argc, char** argv) {
  Options options = parse_options(argc, argv);
  const int threads = omp_get_max_threads();
  std::vector<Pair> pairs;
  options.data.empty() ? make_pairs(pairs, options) : read_pairs(pairs, options);
  const Cut cut(pairs, options.words, threads);
  std::vector<float> words, contexts;
  begin_model(words, contexts, cut, Layout(options.dim));
  std::vector<std::unique_ptr<Part>> parts(threads);
#pragma omp parallel num_threads(threads)
  parts[omp_get_thread_num()] = std::make_unique<Part>(pairs, cut, options, omp_get_thread_num());

  for (int pass = 0; pass < options.passes; ++pass) {
    const double start = seconds_now();
    double loss = 0;
#pragma omp parallel num_threads(threads) reduction(+ : loss)
    {
      const int t = omp_get_thread_num();
      for (int round = 0; round < threads; ++round) {
        loss += parts[t]->train((t + round + pass) % threads, words.data(), contexts.data());
#pragma omp barrier
      }
    }
    std::printf("pass=%d seconds=%.6f loss=%.6g\n", pass, seconds_now() - start, loss / pairs.size());
  }
  return 0;
}

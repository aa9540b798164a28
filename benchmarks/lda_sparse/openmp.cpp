// Sparse LDA by hand with OpenMP: a thread has a range of documents, and one part of the words in each round.
//
// OMP_NUM_THREADS sets the number of threads. Options and output are those of the sequential original.

#include <omp.h>

#include <memory>

#include "part.hpp"

int main(int argc, char** argv) {
  Options options = parse_options(argc, argv);
  const int threads = omp_get_max_threads();
  std::vector<Token> tokens;
  options.data.empty() ? make_tokens(tokens, options) : read_tokens(tokens, options);
  const Cut cut(tokens, options, threads);
  std::vector<std::unique_ptr<Part>> parts(threads);
#pragma omp parallel num_threads(threads)
  parts[omp_get_thread_num()] = std::make_unique<Part>(tokens, cut, options, omp_get_thread_num());
  std::vector<int> nw(options.words * Row::length(options.topics)), totals;
  for (const auto& part : parts) part->count_words(nw.data());
  const auto add_up = [&] {
    totals.assign(options.topics, 0);
    for (const auto& part : parts) {
      for (int z = 0; z < options.topics; ++z) totals[z] += part->totals()[z];
    }
  };
  add_up();

  for (int pass = 0; pass < options.passes; ++pass) {
    const double start = seconds_now();
#pragma omp parallel num_threads(threads)
    {
      const int t = omp_get_thread_num();
      parts[t]->begin(totals);
      for (int round = 0; round < threads; ++round) {
        parts[t]->sample((t + round) % threads, nw.data());
#pragma omp barrier
      }
    }
    add_up();
    const double seconds = seconds_now() - start;
    double sum = 0;
    for (const auto& part : parts) sum += part->log_likelihood_of_part(nw.data(), totals);
    std::printf("pass=%d seconds=%.6f log_likelihood=%.6g\n", pass, seconds, sum / tokens.size());
  }
  return 0;
}

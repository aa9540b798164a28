// LDA by hand with OpenMP: a thread has a range of documents, and one part of the words in each round.
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
  std::vector<int> nw(options.words * parts[0]->stride());
  for (const auto& part : parts) part->count_words(nw.data());
  std::vector<std::vector<int>> changes(threads, std::vector<int>(options.topics));

  for (int pass = 0; pass < options.passes; ++pass) {
    const double start = seconds_now();
#pragma omp parallel num_threads(threads)
    {
      const int t = omp_get_thread_num();
      std::vector<int> sum(options.topics);
      for (int round = 0; round < threads; ++round) {
        parts[t]->sample((t + round) % threads, nw.data());
        parts[t]->changes(changes[t].data());
#pragma omp barrier
        std::fill(sum.begin(), sum.end(), 0);
        for (const auto& change : changes) {
          for (int z = 0; z < options.topics; ++z) sum[z] += change[z];
        }
        parts[t]->add_changes(sum.data());
#pragma omp barrier
      }
    }
    const double seconds = seconds_now() - start;
    double sum = 0;
    for (const auto& part : parts) sum += part->log_likelihood_of_part(nw.data());
    std::printf("pass=%d seconds=%.6f log_likelihood=%.6g\n", pass, seconds, sum / tokens.size());
  }
  return 0;
}

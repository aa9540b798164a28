// WarpLDA by hand with OpenMP: threads share the documents, then the words.
//
// OMP_NUM_THREADS sets the number of threads. Options and output are those of the sequential original.

#include <omp.h>

#include <memory>

#include "part.hpp"

int main(int argc, char** argv) {
  Options options = parse_options(argc, argv);
  const int threads = omp_get_max_threads();
  Corpus corpus(options);
  std::vector<Draws> draws = corpus.draws();
  std::vector<int> totals = corpus.totals(options.topics);
  std::vector<std::unique_ptr<Sampler>> samplers(threads);
#pragma omp parallel num_threads(threads)
  samplers[omp_get_thread_num()] =
      std::make_unique<Sampler>(options.topics, options.words, omp_get_thread_num());
  const auto add_up = [&] {
    std::fill(totals.begin(), totals.end(), 0);
    for (const auto& one : samplers) {
      for (int z = 0; z < options.topics; ++z) totals[z] += one->next()[z];
    }
  };

  for (int pass = 0; pass < options.passes; ++pass) {
    const double start = seconds_now();
#pragma omp parallel num_threads(threads)
    {
      Sampler& mine = *samplers[omp_get_thread_num()];
      mine.begin(totals);
#pragma omp for schedule(dynamic, 64)
      for (int d = 0; d < options.documents; ++d) {
        Draws* const first = draws.data() + corpus.begin[d];
        mine.visit(corpus.begin[d + 1] - corpus.begin[d], alpha,
                   [first](int64_t i) -> Draws& { return first[i]; });
      }
#pragma omp single
      add_up();
      mine.begin(totals);
#pragma omp for schedule(dynamic, 64)
      for (int w = 0; w < options.words; ++w) {
        const int* const first = corpus.token.data() + corpus.word_begin[w];
        mine.visit(corpus.word_begin[w + 1] - corpus.word_begin[w], beta,
                   [first, &draws](int64_t i) -> Draws& { return draws[first[i]]; });
      }
#pragma omp single
      add_up();
    }
    const double seconds = seconds_now() - start;
    std::printf("pass=%d seconds=%.6f log_likelihood=%.6g\n", pass, seconds,
                corpus.log_likelihood_of(draws, totals));
  }
  return 0;
}

// Word vectors by hand with OpenMP: threads train on sentences as they come, and write the same vectors
// without locks. Few of these steps meet, and a lost one does little harm. Niu, Recht, Ré, Wright: Hogwild!,
// NIPS, 2011. The authors' word2vec.c does the same.
//
// OMP_NUM_THREADS sets the number of threads. Options and output are those of the sequential original.

#include <omp.h>

#include "program.hpp"

/// Moves the vectors of one pair of words, and those of random words.
static void train_pair(const Options& options, Model& model, float* center, float* context, const auto& noise,
                       Random& random) {
  float step[D] = {};
  for (int k = 0; k <= options.negatives; ++k) {
    if (k > 0) context = model.out(noise[random.below(noise.size())]);
    const float label = k == 0 ? 1 : 0;
    const float g = options.rate * (label - sigmoid(dot(center, context, D)));
    for (int d = 0; d < D; ++d) {
      const float old = context[d];
      step[d] += g * old;
      context[d] = old + g * center[d];
    }
  }
  for (int d = 0; d < D; ++d) center[d] += step[d];
}

int main(int argc, char** argv) {
  Options options = parse_options(argc, argv);
  const int threads = omp_get_max_threads();
  std::vector<std::vector<int>> sentences(options.data.empty() ? options.sentences : 0);
  options.data.empty() ? make_sentences(sentences, options) : read_sentences(sentences, options);
  const int n = static_cast<int>(sentences.size());
  const std::vector<int> noise = make_noise(sentences, options.words);
  Model model(options.words, 0, D);
  std::vector<Random> randoms;
  for (int t = 0; t < threads; ++t) randoms.emplace_back(t);

  for (int pass = 0; pass < options.passes; ++pass) {
    const double start = seconds_now();
#pragma omp parallel num_threads(threads)
    {
      Random random = randoms[omp_get_thread_num()];  // a copy: other threads' share its cache line
#pragma omp for schedule(dynamic, 16)
      for (int s = 0; s < n; ++s) {
        for_each_pair(sentences[s], options.window, [&](int center, int context) {
          train_pair(options, model, model.in(center), model.out(context), noise, random);
        });
      }
      randoms[omp_get_thread_num()] = random;
    }
    const double seconds = seconds_now() - start;
    std::printf("pass=%d seconds=%.6f loss=%.6g\n", pass, seconds,
                loss_of(model.vectors(), sentences, noise, options));
  }
  if (!options.questions.empty()) answer_questions(model.vectors(), options);
  return 0;
}

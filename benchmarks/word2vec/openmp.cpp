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

/// The same for all pairs of the window around word `i`, with random words that they share. `steps`: a row
/// for each word of a window.
static void train_window(const Options& options, Model& model, const std::vector<int>& sentence, int i,
                         const auto& noise, Random& random, std::vector<Vector>& steps) {
  const int first = std::max(0, i - options.window);
  const int last = std::min(static_cast<int>(sentence.size()) - 1, i + options.window);
  std::fill(steps.begin(), steps.begin() + (last - first + 1), Vector{});
  for (int k = 0; k <= options.negatives; ++k) {
    float* context = model.out(k == 0 ? sentence[i] : noise[random.below(noise.size())]);
    float change[D] = {};
    for (int j = first; j <= last; ++j) {
      if (j == i) continue;
      const float* center = model.in(sentence[j]);
      float* step = steps[j - first].data();
      const float g = options.rate * ((k == 0 ? 1 : 0) - sigmoid(dot(center, context, D)));
      for (int d = 0; d < D; ++d) {
        step[d] += g * context[d];
        change[d] += g * center[d];
      }
    }
    for (int d = 0; d < D; ++d) context[d] += change[d];
  }
  for (int j = first; j <= last; ++j) {
    float* center = model.in(sentence[j]);
    for (int d = 0; d < D; ++d) center[d] += steps[j - first][d];  // 0 for word i
  }
}

/// A sentence, by pairs or by windows.
static void train_sentence(const Options& options, Model& model, const std::vector<int>& sentence,
                           const auto& noise, Random& random, std::vector<Vector>& steps) {
  if (options.shared_negatives) {
    for (int i = 0; i < static_cast<int>(sentence.size()); ++i)
      train_window(options, model, sentence, i, noise, random, steps);
    return;
  }
  for_each_pair(sentence, options.window, [&](int center, int context) {
    train_pair(options, model, model.in(center), model.out(context), noise, random);
  });
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
      std::vector<Vector> steps(2 * options.window + 1);
#pragma omp for schedule(dynamic, 16)
      for (int s = 0; s < n; ++s) train_sentence(options, model, sentences[s], noise, random, steps);
      randoms[omp_get_thread_num()] = random;
    }
    const double seconds = seconds_now() - start;
    std::printf("pass=%d seconds=%.6f loss=%.6g\n", pass, seconds,
                loss_of(model.vectors(), sentences, noise, options));
  }
  if (!options.questions.empty()) answer_questions(model.vectors(), options);
  return 0;
}

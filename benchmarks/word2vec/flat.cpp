// Word vectors with all rows in flat arrays, on StradsAP.
//
// Options, data and output are those of examples/word2vec/sequential.cpp.

#define main sequential_main
#include "../../examples/word2vec/sequential.cpp"
#undef main

#include <vector>

#include <stradsap/stradsap.hpp>

static float dot(const float* a, const float* b) {
  float sum = 0;
  for (int d = 0; d < D; ++d) sum += a[d] * b[d];
  return sum;
}

/// The mean loss of a pair of close words beside random words, the same in each pass.
static double flat_mean_loss(const auto& sentences, const auto& in, const auto& out, const auto& noise,
                             const Options& options) {
  std::mt19937 random(3);
  double loss = 0;
  int64_t pairs = 0;
  for (const auto& sentence : sentences) {
    for (size_t i = 1; i < sentence.size(); ++i, ++pairs) {
      const float* center = &in[sentence[i - 1] * D];
      loss -= std::log(sigmoid(dot(center, &out[sentence[i] * D])));
      for (int k = 0; k < options.negatives; ++k) {
        loss -= std::log(sigmoid(-dot(center, &out[noise[random() % noise.size()] * D])));
      }
    }
  }
  return loss / pairs;
}

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  if (options.shared_negatives) {
    std::fprintf(stderr, "--shared-negatives needs rows: it is not written for flat arrays\n");
    return 2;
  }
  const int n = options.sentences;
  stradsap::dvector<std::vector<int>> sentences(n);
  make_sentences(sentences, options);
  std::vector<int> noise = make_noise(sentences, options.words);
  stradsap::dvector<float> in(options.words * D), out(options.words * D);
  std::mt19937 random(2);
  for (float& x : in) x = (random() % 1000 / 1000.0f - 0.5f) / D;

  for (int pass = 0; pass < options.passes; ++pass) {
    const double start = seconds_now();
    stradsap::async_for(n, [&](int s) {
      auto draw = stradsap::random(s);
      const auto& sentence = sentences[s];
      const int length = static_cast<int>(sentence.size());
      for (int i = 0; i < length; ++i) {
        const int last = std::min(length - 1, i + options.window);
        for (int j = std::max(0, i - options.window); j <= last; ++j) {
          if (j == i) continue;
          float* center = &in[sentence[j] * D];
          Vector step{};
          for (int k = 0; k <= options.negatives; ++k) {
            const int word = k == 0 ? sentence[i] : noise[draw.below(noise.size())];
            const float label = k == 0 ? 1 : 0;
            float* context = &out[word * D];
            const float g = options.rate * (label - sigmoid(dot(center, context)));
            for (int d = 0; d < D; ++d) step[d] += g * context[d];
            for (int d = 0; d < D; ++d) context[d] += g * center[d];
          }
          for (int d = 0; d < D; ++d) center[d] += step[d];
        }
      }
    });
    const double seconds = seconds_now() - start;
    std::printf("pass=%d seconds=%.6f loss=%.6g\n", pass, seconds,
                flat_mean_loss(sentences, in, out, noise, options));
  }
}

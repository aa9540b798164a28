// Word vectors by skip-gram with negative sampling, on StradsAP.
//
// A pass goes through all sentences. Each pair of close words, and pairs with random words, move two vectors.
// Mikolov et al.: Distributed representations of words and phrases, NIPS, 2013.
//
//   stradsap-cc -std=c++20 -O3 -march=native word2vec.cpp -o word2vec
//   ./word2vec --sentences 2000 --words 5000 --passes 10
//   ./word2vec --data text8 --passes 10
//   ./word2vec --data corpus.txt --questions questions.txt
//   ./word2vec --data text8 --passes 10 --round 512   (sentences that see older vectors of others)
//
// With --shared-negatives 1 all pairs of a window have the same random words. With -DNUMBERS=100 vectors have
// 100 numbers.

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <stradsap/stradsap.hpp>

#include "questions.hpp"

#ifndef NUMBERS
#define NUMBERS 64
#endif
constexpr int D = NUMBERS;  // of a vector
using Vector = std::array<float, D>;

struct Options {
  std::string data;       // text, a sentence a line; empty: sentences are generated
  std::string questions;  // lines `a b c d` to answer after the last pass
  int sentences = 2000, length = 15, words = 5000, window = 3, negatives = 5, min_count = 5, passes = 10;
  int round = 0;
  float rate = 0.025f;
  bool shared_negatives = false;   // all pairs of a window have the same random words
  std::vector<std::string> names;  // of words in a file, by number
};

static Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--data") == 0) options.data = argv[i + 1];
    if (std::strcmp(argv[i], "--questions") == 0) options.questions = argv[i + 1];
    if (std::strcmp(argv[i], "--sentences") == 0) options.sentences = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--length") == 0) options.length = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--words") == 0) options.words = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--window") == 0) options.window = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--negatives") == 0) options.negatives = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--shared-negatives") == 0)
      options.shared_negatives = std::atoi(argv[i + 1]) != 0;
    if (std::strcmp(argv[i], "--min-count") == 0) options.min_count = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--rate") == 0) options.rate = static_cast<float>(std::atof(argv[i + 1]));
    if (std::strcmp(argv[i], "--passes") == 0) options.passes = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--round") == 0) options.round = std::atoi(argv[i + 1]);
  }
  return options;
}

/// Sentences about one of 50 subjects each. Frequencies of words follow Zipf's law.
static void make_sentences(auto& sentences, const Options& options) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform;
  for (auto& sentence : sentences) {
    const uint64_t subject = random() % 50;
    sentence.resize(2 + random() % (2 * options.length - 3));
    for (int& word : sentence) {
      word = static_cast<int>(std::pow(options.words, uniform(random))) - 1;
      if (word >= 20) word = static_cast<int>((word + subject * 2654435761) % options.words);
    }
  }
}

/// Each word as often as its frequency to the power 0.75 demands.
static std::vector<int> make_noise(const auto& sentences, int words) {
  std::vector<double> counts(words);
  for (const auto& sentence : sentences) {
    for (int word : sentence) ++counts[word];
  }
  double sum = 0;
  for (double& count : counts) sum += count = std::pow(count, 0.75);
  std::vector<int> noise;
  for (int word = 0; word < words; ++word)
    noise.insert(noise.end(), std::ceil(100000 * counts[word] / sum), word);
  return noise;
}

static float dot(const Vector& a, const Vector& b) {
  float sum = 0;
  for (int d = 0; d < D; ++d) sum += a[d] * b[d];
  return sum;
}

static float sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

/// The mean loss of a pair of close words beside random words, the same in each pass.
static double mean_loss(const auto& sentences, const auto& in, const auto& out, const auto& noise,
                        const Options& options) {
  std::mt19937 random(3);
  double loss = 0;
  int64_t pairs = 0;
  for (const auto& sentence : sentences) {
    for (size_t i = 1; i < sentence.size(); ++i, ++pairs) {
      const Vector& center = in[sentence[i - 1]];
      loss -= std::log(sigmoid(dot(center, out[sentence[i]])));
      for (int k = 0; k < options.negatives; ++k) {
        loss -= std::log(sigmoid(-dot(center, out[noise[random() % noise.size()]])));
      }
    }
  }
  return loss / pairs;
}

/// Lines of words. Words that occur less than min_count times are left out; the most frequent one is word 0.
static void read_sentences(auto& sentences, Options& options) {
  const auto text = stradsap::read_corpus(options.data, {.min_count = options.min_count});
  sentences.resize(text.indptr.size() - 1);
  for (size_t i = 0; i < sentences.size(); ++i)
    sentences[i].assign(text.ids.begin() + text.indptr[i], text.ids.begin() + text.indptr[i + 1]);
  options.words = static_cast<int>(text.words.size());
  options.names = text.words;
}

/// Nearly all sentences share words, so in a serial order they run one by one. In rounds they run side by
/// side, and the changes of both halves of a round are folded.
static stradsap::ConsistencyModel model_of(const Options& options) {
  if (options.round == 0) return stradsap::consistency::async;
  return stradsap::consistency::stale(
      {.round = options.round, .merge = stradsap::merge::adaptive, .accumulators = 2});
}

static double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Moves the vectors of each pair of close words, and those of random words.
static void train_pairs(const stradsap::dvector<std::vector<int>>& sentences, stradsap::dvector<Vector>& in,
                        stradsap::dvector<Vector>& out, const std::vector<int>& noise,
                        const Options& options) {
  const int n = static_cast<int>(sentences.size());
  stradsap::async_for(n, [&](int s) {
    auto draw = stradsap::random(s);
    const auto& sentence = sentences[s];
    const int length = static_cast<int>(sentence.size());
    for (int i = 0; i < length; ++i) {
      const int last = std::min(length - 1, i + options.window);
      for (int j = std::max(0, i - options.window); j <= last; ++j) {
        if (j == i) continue;
        Vector& center = in[sentence[j]];
        Vector step{};
        for (int k = 0; k <= options.negatives; ++k) {
          const int word = k == 0 ? sentence[i] : noise[draw.below(noise.size())];
          const float label = k == 0 ? 1 : 0;
          Vector& context = out[word];
          const float g = options.rate * (label - sigmoid(dot(center, context)));
          for (int d = 0; d < D; ++d) step[d] += g * context[d];
          for (int d = 0; d < D; ++d) context[d] += g * center[d];
        }
        for (int d = 0; d < D; ++d) center[d] += step[d];
      }
    }
  });
}

/// The same by windows: a word, the words close to it, and random words that all pairs of the window share.
/// The pairs step from the same vectors. Ji, Satish, Li, Dubey: Parallelizing word2vec in shared and
/// distributed memory, 2016.
static void train_windows(const stradsap::dvector<std::vector<int>>& sentences, stradsap::dvector<Vector>& in,
                          stradsap::dvector<Vector>& out, const std::vector<int>& noise,
                          const Options& options) {
  const int n = static_cast<int>(sentences.size());
  stradsap::async_for(n, [&](int s) {
    auto draw = stradsap::random(s);
    const auto& sentence = sentences[s];
    const int length = static_cast<int>(sentence.size());
    std::vector<Vector> steps(2 * options.window + 1);
    for (int i = 0; i < length; ++i) {
      const int first = std::max(0, i - options.window), last = std::min(length - 1, i + options.window);
      std::fill(steps.begin(), steps.end(), Vector{});
      for (int k = 0; k <= options.negatives; ++k) {
        const int word = k == 0 ? sentence[i] : noise[draw.below(noise.size())];
        const float label = k == 0 ? 1 : 0;
        Vector& context = out[word];
        Vector change{};
        for (int j = first; j <= last; ++j) {
          if (j == i) continue;
          const Vector& center = in[sentence[j]];
          const float g = options.rate * (label - sigmoid(dot(center, context)));
          for (int d = 0; d < D; ++d) steps[j - first][d] += g * context[d];
          for (int d = 0; d < D; ++d) change[d] += g * center[d];
        }
        for (int d = 0; d < D; ++d) context[d] += change[d];
      }
      for (int j = first; j <= last; ++j) {
        if (j == i) continue;
        Vector& center = in[sentence[j]];
        for (int d = 0; d < D; ++d) center[d] += steps[j - first][d];
      }
    }
  });
}

int main(int argc, char** argv) try {
  Options options = parse_options(argc, argv);
  stradsap::dvector<std::vector<int>> sentences(options.data.empty() ? options.sentences : 0);
  options.data.empty() ? make_sentences(sentences, options) : read_sentences(sentences, options);
  const std::vector<int> noise = make_noise(sentences, options.words);
  const stradsap::ConsistencyModel model = model_of(options);
  stradsap::dvector<Vector> in(options.words, model), out(options.words, model);
  std::mt19937 random(2);
  for (Vector& vector : in) {
    for (float& x : vector) x = (random() % 1000 / 1000.0f - 0.5f) / D;
  }

  for (int pass = 0; pass < options.passes; ++pass) {
    const double start = seconds_now();
    options.shared_negatives ? train_windows(sentences, in, out, noise, options)
                             : train_pairs(sentences, in, out, noise, options);
    const double seconds = seconds_now() - start;
    const double loss = mean_loss(sentences, in, out, noise, options);
    std::printf("pass=%d seconds=%.6f loss=%.6g\n", pass, seconds, loss);
    stradsap::report("loss", loss);
  }
  if (!options.questions.empty()) {
    print_answers(read_questions(options.questions, options.names), in, options.words);
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}

// Multinomial logistic regression of sparse documents by stochastic gradient descent, on StradsAP.
//
// A pass takes one step for each sample, in a new random order. Every eighth sample is held out; the accuracy
// is that on these. In a serial order nearly all samples wait for each other, since they share frequent
// words. So the weights are stale: both halves of a round step side by side, and their changes are folded.
// Bottou: Stochastic gradient descent tricks, in Neural Networks: Tricks of the Trade, 2012.
//
//   stradsap-cc -std=c++20 -O3 -march=native mlr_sgd.cpp -o mlr_sgd
//   ./mlr_sgd --samples 65536 --features 10000 --passes 10
//   ./mlr_sgd --data news20 --passes 10

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

constexpr int C = 20;  // classes
using Row = std::array<float, C>;

struct Feature {
  int index;
  float value;
};

struct Sample {
  int label;
  std::vector<Feature> features;
};

struct Options {
  std::string data;  // in LIBSVM's format; empty: samples are generated
  int64_t samples = 65536, round = 16384;
  int features = 10000, passes = 10;
  float rate = 0.5f;
};

static Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--data") == 0) options.data = argv[i + 1];
    if (std::strcmp(argv[i], "--samples") == 0) options.samples = std::atoll(argv[i + 1]);
    if (std::strcmp(argv[i], "--features") == 0) options.features = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--passes") == 0) options.passes = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--round") == 0) options.round = std::atoll(argv[i + 1]);
    if (std::strcmp(argv[i], "--rate") == 0) options.rate = std::atof(argv[i + 1]);
  }
  return options;
}

/// Documents of unit length: words of Zipf frequencies, one in eight from the vocabulary of the class.
static void make_samples(auto& samples, int num_features) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform;
  for (auto& sample : samples) {
    sample.label = random() % C;
    std::vector<int> words;
    const int length = 20 + random() % 80;
    for (int k = 0; k < length; ++k) {
      const int64_t rank = std::pow(num_features - 1, uniform(random));
      const int64_t vocabulary = random() % 8 == 0 ? 1 + sample.label : 0;
      words.push_back((rank * 48271 + vocabulary * 6967) % num_features);
    }
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    const float value = 1 / std::sqrt(static_cast<float>(words.size()));
    for (const int index : words) sample.features.push_back({index, value});
  }
}

static Row scores_of(const Sample& sample, const auto& W) {
  Row score{};
  for (const Feature& f : sample.features) {
    for (int c = 0; c < C; ++c) score[c] += W[f.index][c] * f.value;
  }
  return score;
}

/// Turns scores into probabilities.
static void softmax(Row& score) {
  const float most = *std::max_element(score.begin(), score.end());
  float sum = 0;
  for (float& one : score) sum += one = std::exp(one - most);
  for (float& one : score) one /= sum;
}

/// Lines `label index:value index:value ...`: labels are 1 to C, indices count from 1.
static void read_samples(auto& samples, Options& options) {
  const auto [labels, features] = stradsap::read_libsvm<float>(options.data);
  samples.resize(features.rows);
  for (int64_t i = 0; i < features.rows; ++i) {
    samples[i].label = static_cast<int>(labels[i]) - 1;
    if (samples[i].label < 0 || samples[i].label >= C)
      throw std::runtime_error(options.data + ": row " + std::to_string(i + 1) + ": labels are 1 to 20");
    samples[i].features.reserve(features.indptr[i + 1] - features.indptr[i]);
    for (int64_t k = features.indptr[i]; k < features.indptr[i + 1]; ++k)
      samples[i].features.push_back({features.index[k], features.value[k]});
  }
  options.features = static_cast<int>(features.columns);
}

static bool is_held_out(int64_t i) { return i % 8 == 7; }

/// The fraction of held-out samples with the greatest score at their label.
static double accuracy(const auto& samples, const auto& W) {
  int64_t right = 0, all = 0;
  for (int64_t i = 0; i < static_cast<int64_t>(samples.size()); ++i) {
    if (!is_held_out(i)) continue;
    const Row score = scores_of(samples[i], W);
    right += std::max_element(score.begin(), score.end()) - score.begin() == samples[i].label;
    ++all;
  }
  return static_cast<double>(right) / all;
}

static double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int main(int argc, char** argv) try {
  Options options = parse_options(argc, argv);
  stradsap::dvector<Sample> samples(options.data.empty() ? options.samples : 0);
  options.data.empty() ? make_samples(samples, options.features) : read_samples(samples, options);
  std::vector<int> order;
  for (int i = 0; i < static_cast<int>(samples.size()); ++i) {
    if (!is_held_out(i)) order.push_back(i);
  }
  const int64_t n = order.size();
  const stradsap::ConsistencyModel model = stradsap::consistency::stale(
      {.round = options.round, .merge = stradsap::merge::adaptive, .accumulators = 2});
  stradsap::dvector<Row> W(options.features, model);
  std::mt19937 random(2);

  for (int pass = 0; pass < options.passes; ++pass) {
    const double start = seconds_now();
    std::shuffle(order.begin(), order.end(), random);
    const float rate = options.rate / std::sqrt(1.0f + pass);
    stradsap::async_for(n, [&](int64_t i) {
      const Sample& sample = samples[order[i]];
      Row error{};
      for (const Feature& f : sample.features) {
        for (int c = 0; c < C; ++c) error[c] += W[f.index][c] * f.value;
      }
      softmax(error);
      error[sample.label] -= 1;
      for (const Feature& f : sample.features) {
        for (int c = 0; c < C; ++c) W[f.index][c] -= rate * f.value * error[c];
      }
    });
    const double seconds = seconds_now() - start;
    const double correct = accuracy(samples, W);
    std::printf("pass=%d seconds=%.6f accuracy=%.6g\n", pass, seconds, correct);
    stradsap::report("accuracy", correct);
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}

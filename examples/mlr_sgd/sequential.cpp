// Multinomial logistic regression of sparse documents by stochastic gradient descent, one thread, standard
// containers.
//
// A pass takes one step for each sample, in a new random order. Every eighth sample is held out; the accuracy
// is that on these.
// Bottou: Stochastic gradient descent tricks, in Neural Networks: Tricks of the Trade, 2012.
//
//   g++ -std=c++20 -O3 -march=native sequential.cpp -o sequential
//   ./sequential --samples 65536 --features 10000 --passes 10
//   ./sequential --data news20 --passes 10

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

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
  int64_t samples = 65536;
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
  std::ifstream file(options.data);
  if (!file) throw std::runtime_error(options.data + ": cannot be read");
  options.features = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    Sample sample{};
    float label = 0;
    fields >> label;
    sample.label = static_cast<int>(label) - 1;
    char colon = 0;
    for (Feature f; fields >> f.index >> colon >> f.value && colon == ':';) {
      sample.features.push_back({f.index - 1, f.value});
      options.features = std::max(options.features, f.index);
    }
    if (!fields.eof() || sample.label < 0 || sample.label >= C)
      throw std::runtime_error(options.data + ": bad line: " + line);
    samples.push_back(sample);
  }
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
  std::vector<Sample> samples(options.data.empty() ? options.samples : 0);
  options.data.empty() ? make_samples(samples, options.features) : read_samples(samples, options);
  std::vector<int> order;
  for (int i = 0; i < static_cast<int>(samples.size()); ++i) {
    if (!is_held_out(i)) order.push_back(i);
  }
  const int64_t n = order.size();
  std::vector<Row> W(options.features);
  std::mt19937 random(2);

  for (int pass = 0; pass < options.passes; ++pass) {
    const double start = seconds_now();
    std::shuffle(order.begin(), order.end(), random);
    const float rate = options.rate / std::sqrt(1.0f + pass);
    for (int64_t i = 0; i < n; ++i) {
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
    }
    const double seconds = seconds_now() - start;
    const double correct = accuracy(samples, W);
    std::printf("pass=%d seconds=%.6f accuracy=%.6g\n", pass, seconds, correct);
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}

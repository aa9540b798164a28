// Multinomial logistic regression of sparse documents by mini-batch gradient descent, on StradsAP.
//
// A pass draws a new order of the samples and takes one step for each mini-batch. The loss is that of each
// mini-batch before its step.
// Böhning: Multinomial logistic regression algorithm, Annals of the Institute of Statistical Mathematics,
// 1992.
//
//   stradsap-cc -std=c++20 -O3 -march=native mlr.cpp -o mlr
//   ./mlr --samples 16384 --features 10000 --batch 256 --passes 10
//   ./mlr --data news20 --rate 100 --passes 10

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <stradsap/stradsap.hpp>

constexpr int C = 20;  // classes

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
  int64_t samples = 16384, batch = 256;
  int features = 10000, passes = 10;
  float rate = 8;
};

static Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--data") == 0) options.data = argv[i + 1];
    if (std::strcmp(argv[i], "--samples") == 0) options.samples = std::atoll(argv[i + 1]);
    if (std::strcmp(argv[i], "--batch") == 0) options.batch = std::atoll(argv[i + 1]);
    if (std::strcmp(argv[i], "--features") == 0) options.features = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--passes") == 0) options.passes = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--rate") == 0) options.rate = std::atof(argv[i + 1]);
  }
  return options;
}

/// Documents of unit length: words of Zipf frequencies, a third of them from the vocabulary of the class.
static void make_samples(auto& samples, int num_features) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform;
  for (auto& sample : samples) {
    sample.label = random() % C;
    std::vector<int> words;
    const int length = 20 + random() % 80;
    for (int k = 0; k < length; ++k) {
      const int64_t rank = std::pow(num_features - 1, uniform(random));
      const int64_t vocabulary = random() % 3 == 0 ? 1 + sample.label : 0;
      words.push_back((rank * 48271 + vocabulary * 6967) % num_features);
    }
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    const float value = 1 / std::sqrt(static_cast<float>(words.size()));
    for (const int index : words) sample.features.push_back({index, value});
  }
}

/// Turns scores into probabilities.
static void softmax(float* score) {
  const float most = *std::max_element(score, score + C);
  float sum = 0;
  for (int c = 0; c < C; ++c) sum += score[c] = std::exp(score[c] - most);
  for (int c = 0; c < C; ++c) score[c] /= sum;
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

static double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int main(int argc, char** argv) try {
  Options options = parse_options(argc, argv);
  stradsap::dvector<Sample> samples(options.data.empty() ? options.samples : 0);
  options.data.empty() ? make_samples(samples, options.features) : read_samples(samples, options);
  const int64_t n = samples.size();
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  stradsap::dvector<std::vector<float>> W(C, std::vector<float>(options.features));
  stradsap::dvector<std::vector<float>> gradient(C, std::vector<float>(options.features));
  std::mt19937 random(2);

  for (int pass = 0; pass < options.passes; ++pass) {
    const double start = seconds_now();
    std::shuffle(order.begin(), order.end(), random);
    double loss = 0;
    for (int64_t first = 0; first < n; first += options.batch) {
      const int64_t size = std::min(options.batch, n - first);
      for (auto& row : gradient) std::fill(row.begin(), row.end(), 0.0f);
      stradsap::async_for(size, [&](int64_t i) {
        const Sample& sample = samples[order[first + i]];
        float p[C];
        for (int c = 0; c < C; ++c) {
          p[c] = 0;
          for (const Feature& f : sample.features) p[c] += W[c][f.index] * f.value;
        }
        softmax(p);
        loss -= std::log(p[sample.label]);
        for (int c = 0; c < C; ++c) {
          const float error = p[c] - (c == sample.label);
          for (const Feature& f : sample.features) gradient[c][f.index] += error * f.value;
        }
      });
      const float rate = options.rate / size;
      for (int c = 0; c < C; ++c) {
        for (int f = 0; f < options.features; ++f) W[c][f] -= rate * gradient[c][f];
      }
    }
    std::printf("pass=%d seconds=%.6f loss=%.6g\n", pass, seconds_now() - start, loss / n);
    stradsap::report("loss", loss / n);
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}

// A linear support vector machine by dual coordinate descent, on StradsAP.
//
// A pass takes the samples in a new random order. It solves for the dual variable of one sample at a time and
// keeps w, the sum of the samples by their dual variables.
// Hsieh, Chang, Lin, Keerthi, Sundararajan: A dual coordinate descent method for large-scale linear SVM,
// 2008.
//
//   stradsap-cc -std=c++20 -O3 -march=native svm.cpp -o svm
//   ./svm --samples 150000 --features 100000 --C 0.03 --passes 10
//   ./svm --data a9a --C 0.03 --passes 10

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

struct Feature {
  int index;
  float value;
};

struct Sample {
  float label;  // 1 or -1
  float norm;   // squared
  std::vector<Feature> features;
};

struct Options {
  std::string data;  // in LIBSVM's format; empty: samples are generated
  int64_t samples = 150000;
  int features = 100000, passes = 10;
  float C = 0.03f;
};

static Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--data") == 0) options.data = argv[i + 1];
    if (std::strcmp(argv[i], "--samples") == 0) options.samples = std::atoll(argv[i + 1]);
    if (std::strcmp(argv[i], "--features") == 0) options.features = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--passes") == 0) options.passes = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--C") == 0) options.C = std::atof(argv[i + 1]);
  }
  return options;
}

/// Documents with words of Zipf frequencies. A tenth of the labels are noise.
static void make_samples(auto& samples, int num_features) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform;
  std::normal_distribution<float> normal;
  std::vector<float> truth(num_features);
  for (float& t : truth) t = normal(random);
  for (auto& sample : samples) {
    std::vector<int> words;
    const int length = 10 + random() % 60;
    for (int k = 0; k < length; ++k) {
      const int64_t rank = std::pow(num_features - 1, uniform(random));
      words.push_back(rank * 48271 % num_features);
    }
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    float margin = 0;
    for (const int index : words) {
      const float value = 0.5f + uniform(random);
      sample.features.push_back({index, value});
      sample.norm += value * value;
      margin += truth[index] * value;
    }
    sample.label = (margin > 0) == (random() % 10 > 0) ? 1 : -1;
  }
}

/// The dual objective, which falls.
static double objective(const auto& alpha, const auto& w) {
  double squares = 0, sum = 0;
  for (const float x : w) squares += x * x;
  for (const float x : alpha) sum += x;
  return squares / 2 - sum;
}

/// Lines `label index:value index:value ...`: the label is positive or not, indices count from 1.
static void read_samples(auto& samples, Options& options) {
  const auto [labels, features] = stradsap::read_libsvm<float>(options.data);
  samples.resize(features.rows);
  for (int64_t i = 0; i < features.rows; ++i) {
    samples[i].label = labels[i] > 0 ? 1 : -1;
    samples[i].features.reserve(features.indptr[i + 1] - features.indptr[i]);
    for (int64_t k = features.indptr[i]; k < features.indptr[i + 1]; ++k) {
      samples[i].features.push_back({features.index[k], features.value[k]});
      samples[i].norm += features.value[k] * features.value[k];
    }
  }
  options.features = static_cast<int>(features.columns);
}

static double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int main(int argc, char** argv) try {
  Options options = parse_options(argc, argv);
  const float C = options.C;
  stradsap::dvector<Sample> samples(options.data.empty() ? options.samples : 0);
  options.data.empty() ? make_samples(samples, options.features) : read_samples(samples, options);
  const int64_t n = samples.size();
  stradsap::dvector<float> w(options.features), alpha(n);
  stradsap::dvector<int> index(n);
  std::iota(index.begin(), index.end(), 0);
  std::mt19937 random(2);

  for (int pass = 0; pass < options.passes; ++pass) {
    const double start = seconds_now();
    std::shuffle(index.begin(), index.end(), random);
    stradsap::async_for(n, [&](int64_t s) {
      const int i = index[s];
      const Sample& sample = samples[i];
      float score = 0;
      for (const Feature& f : sample.features) score += w[f.index] * f.value;
      const float G = sample.label * score - 1;
      float PG = G;  // the projected gradient
      if (alpha[i] == 0) {
        PG = std::min(G, 0.0f);
      } else if (alpha[i] == C) {
        PG = std::max(G, 0.0f);
      }
      if (std::abs(PG) > 1e-6f) {
        const float old = alpha[i];
        alpha[i] = std::clamp(old - G / sample.norm, 0.0f, C);
        const float step = (alpha[i] - old) * sample.label;
        for (const Feature& f : sample.features) w[f.index] += step * f.value;
      }
    });
    const double seconds = seconds_now() - start;
    const double value = objective(alpha, w) / n;
    std::printf("pass=%d seconds=%.6f objective=%.6g\n", pass, seconds, value);
    stradsap::report("objective", value);
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}

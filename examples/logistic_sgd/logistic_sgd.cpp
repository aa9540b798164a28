// Logistic regression by stochastic gradient descent on sparse samples, on StradsAP.
//
// A pass takes one step for each sample, in file order, and sums the losses before the steps.
// Bottou: Stochastic gradient descent tricks, in Neural Networks: Tricks of the Trade, 2012.
//
//   stradsap-cc -std=c++20 -O3 -march=native logistic_sgd.cpp -o logistic_sgd
//   ./logistic_sgd --samples 300000 --features 100000 --passes 10
//   ./logistic_sgd --data a9a --rate 0.05 --passes 10

#include <algorithm>
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

struct Feature {
  int index;
  float value;
};

struct Sample {
  float label;  // 0 or 1
  std::vector<Feature> features;
};

struct Options {
  std::string data;  // in LIBSVM's format; empty: samples are generated
  int64_t samples = 300000;
  int features = 100000, passes = 10;
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

/// Samples of unit length with the Zipf frequencies of words. Most samples have feature 0.
static void make_samples(auto& samples, int num_features) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform;
  std::normal_distribution<float> normal;
  std::vector<float> truth(num_features);
  for (float& t : truth) t = 3 * normal(random);
  for (auto& sample : samples) {
    std::vector<int> present;
    if (uniform(random) < 0.95f) present.push_back(0);
    const int length = 10 + random() % 40;
    for (int k = 0; k < length; ++k) {
      const int64_t rank = std::pow(num_features - 1, uniform(random));
      present.push_back(rank * 48271 % num_features);
    }
    std::sort(present.begin(), present.end());
    present.erase(std::unique(present.begin(), present.end()), present.end());
    const float value = 1 / std::sqrt(static_cast<float>(present.size()));
    float margin = 0;
    for (const int index : present) {
      sample.features.push_back({index, value});
      margin += truth[index] * value;
    }
    sample.label = uniform(random) < 1 / (1 + std::exp(-margin));
  }
}

/// Lines `label index:value index:value ...`: the label is positive or not, indices count from 1.
static void read_samples(auto& samples, Options& options) {
  const auto [labels, features] = stradsap::read_libsvm<float>(options.data);
  samples.resize(features.rows);
  for (int64_t i = 0; i < features.rows; ++i) {
    samples[i].label = labels[i] > 0;
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
  stradsap::dvector<float> w(options.features);

  for (int pass = 0; pass < options.passes; ++pass) {
    const double start = seconds_now();
    const float rate = options.rate / std::sqrt(1.0f + pass);
    double loss = 0;
    stradsap::async_for(n, [&](int64_t i) {
      const Sample& sample = samples[i];
      float margin = 0;
      for (const Feature& f : sample.features) margin += w[f.index] * f.value;
      const float p = 1 / (1 + std::exp(-margin));
      const float step = rate * (sample.label - p);
      for (const Feature& f : sample.features) w[f.index] += step * f.value;
      loss += std::log1p(std::exp(sample.label > 0 ? -margin : margin));
    });
    std::printf("pass=%d seconds=%.6f loss=%.6g\n", pass, seconds_now() - start, loss / n);
    stradsap::report("loss", loss / n);
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}

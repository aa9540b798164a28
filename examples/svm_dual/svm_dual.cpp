// A linear support vector machine to its optimum, by dual coordinate descent, on StradsAP.
//
// An update solves for the dual variable of one sample and keeps w, the sum of the samples by their dual
// variables. One loop is the whole solve: its scheduler repeats the samples with variables that change.
// Hsieh, Chang, Lin, Keerthi, Sundararajan: A dual coordinate descent method for large-scale linear SVM,
// 2008.
//
//   stradsap-cc -std=c++20 -O3 -march=native svm_dual.cpp -o svm_dual
//   ./svm_dual --samples 20000 --features 10000 --C 0.1
//   ./svm_dual --data a9a --C 1

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
#include <utility>
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
  int64_t samples = 20000;
  int features = 10000;
  float C = 0.1f;
  double tolerance = 1e-4;  // of changes, as a part of the greatest variable
  std::string save;         // folder for the weights and the dual variables, or empty
};

static Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--data") == 0) options.data = argv[i + 1];
    if (std::strcmp(argv[i], "--samples") == 0) options.samples = std::atoll(argv[i + 1]);
    if (std::strcmp(argv[i], "--features") == 0) options.features = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--C") == 0) options.C = std::atof(argv[i + 1]);
    if (std::strcmp(argv[i], "--tolerance") == 0) options.tolerance = std::atof(argv[i + 1]);
    if (std::strcmp(argv[i], "--save") == 0) options.save = argv[i + 1];
  }
  return options;
}

static void check(const Options& options) {
  if (options.C > 0 && options.C <= 1e15) return;
  throw std::runtime_error(
      "--C is a number above 0, and at most 1e15: without a penalty there may be no optimum");
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

/// The greater one of two labels, which is that of the positive samples; a single label counts by its sign.
/// Throws if there are more.
static float positive_label(const auto& labels, const std::string& path) {
  if (labels.size() == 0) return 1;
  const auto [least, greatest] = std::minmax_element(labels.begin(), labels.end());
  for (const float label : labels) {
    if (label == *least || label == *greatest) continue;
    char text[100];
    std::snprintf(text, sizeof text, ": labels %g, %g and %g, and there must be two classes", *least, label,
                  *greatest);
    throw std::runtime_error(path + text);
  }
  return *least == *greatest && *least <= 0 ? 1 : *greatest;
}

/// Lines `label index:value index:value ...` with labels of two classes; indices count from 1.
static void read_samples(auto& samples, Options& options) {
  const auto [labels, features] = stradsap::read_libsvm<float>(options.data);
  const float positive = positive_label(labels, options.data);
  samples.resize(features.rows);
  for (int64_t i = 0; i < features.rows; ++i) {
    samples[i].label = labels[i] == positive ? 1 : -1;
    samples[i].features.reserve(features.indptr[i + 1] - features.indptr[i]);
    for (int64_t k = features.indptr[i]; k < features.indptr[i + 1]; ++k) {
      samples[i].features.push_back({features.index[k], features.value[k]});
      samples[i].norm += features.value[k] * features.value[k];
    }
  }
  options.features = static_cast<int>(features.columns);
}

/// The primal objective, and its distance from the dual one as a part of it.
static std::pair<double, double> objective_and_gap(const auto& samples, const auto& alpha, const auto& w,
                                                   float C) {
  double squares = 0, losses = 0, dual = 0;
  for (const float x : w) squares += x * x;
  for (const Sample& sample : samples) {
    float score = 0;
    for (const Feature& f : sample.features) score += w[f.index] * f.value;
    losses += std::max(1 - sample.label * score, 0.0f);
  }
  for (const float a : alpha) dual += a;
  const double primal = squares / 2 + C * losses;
  return {primal, (primal - (dual - squares / 2)) / primal};
}

static double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int main(int argc, char** argv) try {
  Options options = parse_options(argc, argv);
  check(options);
  const float C = options.C;
  stradsap::dvector<Sample> samples(options.data.empty() ? options.samples : 0);
  options.data.empty() ? make_samples(samples, options.features) : read_samples(samples, options);
  const int64_t n = samples.size();
  stradsap::dvector<float> w(options.features), alpha(n);

  const double start = seconds_now();
  int64_t updates = 0;
  stradsap::parallel_for(
      n,
      [&](int64_t i) {
        const Sample& sample = samples[i];
        const float old = alpha[i];
        float score = 0;
        for (const Feature& f : sample.features) score += w[f.index] * f.value;
        alpha[i] = std::clamp(old - (sample.label * score - 1) / sample.norm, 0.0f, C);
        const float step = (alpha[i] - old) * sample.label;
        if (step != 0) {
          for (const Feature& f : sample.features) w[f.index] += step * f.value;
        }
        updates += 1;
      },
      stradsap::consistency::approximate, stradsap::schedule::dynamic().until(options.tolerance));
  const double seconds = seconds_now() - start;
  const auto [objective, gap] = objective_and_gap(samples, alpha, w, C);
  std::printf("updates=%ld seconds=%.4f objective=%.8g support=%ld gap=%.1e\n", updates, seconds, objective,
              n - std::count(alpha.begin(), alpha.end(), 0.0f), gap);
  if (!options.save.empty()) {
    stradsap::save_jsonl(options.save, "w", w);
    stradsap::save_jsonl(options.save, "alpha", alpha);
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}

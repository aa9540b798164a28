// The work of one worker of the rivals by hand: its range of features, for all samples.
//
// A worker owns the weights of its features and these features of all samples. It computes its part of the
// scores of a mini-batch. The workers add the parts, and each takes the step for its own weights, with no
// gradient in between. The weights of a feature lie together, so that a feature takes two registers for all
// classes.

#pragma once

#include "../simd.hpp"
#include "program.hpp"

constexpr int registers = (C + 15) / 16;

/// Numbers by class, filled up with zeros.
struct alignas(64) Classes {
  lanes<16> x[registers] = {};

  float* data() { return reinterpret_cast<float*>(x); }
};

/// The original's samples: generated, or read with their number of features.
inline std::vector<Sample> samples_of(Options& options) {
  std::vector<Sample> samples(options.data.empty() ? options.samples : 0);
  options.data.empty() ? make_samples(samples, options.features) : read_samples(samples, options);
  return samples;
}

class Part {
 public:
  Part() = default;
  Part(const std::vector<Sample>& samples, int features, int worker, int workers) {
    const int first = cut(samples, features, worker, workers);
    const int last = cut(samples, features, worker + 1, workers);
    weights_.resize(last - first);
    for (const Sample& sample : samples) {
      label_.push_back(sample.label);
      begin_.push_back(features_.size());
      for (const Feature& f : sample.features) {
        if (first <= f.index && f.index < last) features_.push_back({f.index - first, f.value});
      }
    }
    begin_.push_back(features_.size());
  }

  /// This part's share of the scores of a sample.
  Classes scores(int sample) const {
    Classes sum;
    for (int64_t k = begin_[sample]; k < begin_[sample + 1]; ++k) {
      const Feature f = features_[k];
      for (int r = 0; r < registers; ++r) sum.x[r] += f.value * weights_[f.index].x[r];
    }
    return sum;
  }

  /// Turns the scores of a sample into errors. Returns the loss.
  float find_errors(int sample, Classes& scores) const {
    float* const p = scores.data();
    softmax(p);
    const float loss = -std::log(p[label_[sample]]);
    p[label_[sample]] -= 1;
    return loss;
  }

  void take_step(int sample, const Classes& errors, float rate) {
    Classes step = errors;
    for (int r = 0; r < registers; ++r) step.x[r] *= rate;
    for (int64_t k = begin_[sample]; k < begin_[sample + 1]; ++k) {
      const Feature f = features_[k];
      for (int r = 0; r < registers; ++r) weights_[f.index].x[r] -= f.value * step.x[r];
    }
  }

 private:
  /// The first feature of a worker, if all have about equal work.
  static int cut(const std::vector<Sample>& samples, int num_features, int worker, int workers) {
    std::vector<int64_t> count(num_features);
    for (const Sample& sample : samples) {
      for (const Feature& f : sample.features) ++count[f.index];
    }
    const int64_t all = std::accumulate(count.begin(), count.end(), int64_t{0});
    int at = 0;
    for (int64_t done = 0; at < num_features && done * workers < all * worker; ++at) done += count[at];
    return worker == workers ? num_features : at;
  }

  std::vector<int> label_;
  std::vector<int64_t> begin_;
  std::vector<Feature> features_;
  std::vector<Classes> weights_;
};

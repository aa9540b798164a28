// The work of one worker of the rivals by hand: dual coordinate descent over its own samples, with its own
// copy of w.
//
// Each worker solves for a share of its dual variables alone, and then the changes of w are added, so that w
// stays the sum of the samples by their dual variables. Where many samples have a feature, all workers would
// correct the same error. So for such features a worker moves its own copy as if all workers took the same
// steps (CoCoA+; Ma et al.: Adding vs. averaging in distributed primal-dual optimization, 2015).

#pragma once

#include "program.hpp"

constexpr int64_t rounds = 16;         // a pass
constexpr float common_share = 0.01f;  // of samples: a feature with more is common

class Part {
 public:
  Part(const Options& options, int worker, int workers) : C_(options.C), random_(2 + worker) {
    make_rows(options, begin_, feature_, value_, label_, norm_);
    const int64_t n = options.samples, first = n * worker / workers, last = n * (worker + 1) / workers;
    index_.resize(last - first);
    std::iota(index_.begin(), index_.end(), first);
    alpha_.resize(n);
    std::vector<int64_t> count(options.features);
    for (const int f : feature_) ++count[f];
    scale_.resize(options.features);
    for (int f = 0; f < options.features; ++f)
      scale_[f] = count[f] > common_share * n ? 1.0f / workers : 1.0f;
    for (size_t k = 0; k < value_.size(); ++k) move_.push_back(value_[k] / scale_[feature_[k]]);
    for (int64_t i = 0; i < n; ++i) {
      norm_[i] = 0;
      for (int64_t k = begin_[i]; k < begin_[i + 1]; ++k) norm_[i] += value_[k] * move_[k];
    }
  }

  void begin_pass() { std::shuffle(index_.begin(), index_.end(), random_); }

  void run_round(int64_t round, float* w) {
    const int64_t n = index_.size();
    for (int64_t s = n * round / rounds; s < n * (round + 1) / rounds; ++s) solve(index_[s], w);
  }

  /// The number that the change of the worker's copy of w[f] is multiplied by.
  float scale(int64_t f) const { return scale_[f]; }

  /// The dual variables; those of other workers are 0.
  const std::vector<float>& alpha() const { return alpha_; }

 private:
  void solve(int i, float* w) {
    const int64_t begin = begin_[i], end = begin_[i + 1];
    const int* const feature = feature_.data();
    const float *const value = value_.data(), *const move = move_.data();
    float sums[4] = {};  // so that additions do not wait for each other
    int64_t k = begin;
    for (; k + 4 <= end; k += 4) {
      for (int s = 0; s < 4; ++s) sums[s] += w[feature[k + s]] * value[k + s];
    }
    for (; k < end; ++k) sums[0] += w[feature[k]] * value[k];
    const float G = label_[i] * ((sums[0] + sums[1]) + (sums[2] + sums[3])) - 1;
    const float old = alpha_[i], alpha = std::clamp(old - G / norm_[i], 0.0f, C_);
    if (std::abs(alpha - old) * norm_[i] <= 1e-6f) return;
    alpha_[i] = alpha;
    const float step = (alpha - old) * label_[i];
    for (k = begin; k < end; ++k) w[feature[k]] += step * move[k];
  }

  float C_;
  std::mt19937 random_;
  std::vector<int64_t> begin_;
  std::vector<int> feature_, index_;
  std::vector<float> value_, move_, label_, norm_, alpha_, scale_;
};

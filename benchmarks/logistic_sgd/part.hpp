// The work of one worker of the rivals by hand: steps on its own copy of the weights, and sums of changes.
//
// SGD is sequential, and nearly all samples share a feature. So each worker takes the steps of its share of a
// round of samples alone, and then the changes of all workers are added. A feature that many samples have
// would move too far: its changes are averaged (local SGD; Stich: Local SGD converges fast and communicates
// little, 2019).

#pragma once

#include "program.hpp"

constexpr int64_t round_samples = 8192;

/// By feature: the number that its summed change is multiplied by.
inline std::vector<float> change_scales(const Rows& X, int num_features, int workers) {
  std::vector<int64_t> count(num_features);
  for (const int f : X.index) ++count[f];
  const int64_t n = X.label.size();
  std::vector<float> scale(num_features);
  for (int f = 0; f < num_features; ++f) scale[f] = count[f] * 100 > n ? 1.0f / workers : 1.0f;
  return scale;
}

/// Takes a step for each of the samples [first, last). Returns the sum of their losses.
inline double run_samples(const Rows& X, int64_t first, int64_t last, float rate, float* w) {
  double loss = 0;
  for (int64_t i = first; i < last; ++i) {
    const int64_t begin = X.begin[i], end = X.begin[i + 1];
    float sums[4] = {};  // so that additions do not wait for each other
    int64_t k = begin;
    for (; k + 4 <= end; k += 4) {
      for (int s = 0; s < 4; ++s) sums[s] += w[X.index[k + s]] * X.value[k + s];
    }
    for (; k < end; ++k) sums[0] += w[X.index[k]] * X.value[k];
    const float margin = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    const float step = rate * (X.label[i] - 1 / (1 + std::exp(-margin)));
    for (k = begin; k < end; ++k) w[X.index[k]] += step * X.value[k];
    loss += std::log1p(std::exp(X.label[i] > 0 ? -margin : margin));
  }
  return loss;
}

// Common code of the rivals of sgd_mf: all of the sequential original but the training loop.
//
// The original is included, not copied. So options, reading, initial values, dot product, printing and hash
// are the same; rivals differ only in execution.

#pragma once

#define main sequential_main
#include "../../examples/sgd_mf/sequential.cpp"
#undef main

#include "../ratings.hpp"

template <int K> using Factor = std::array<float, K>;

/// Moves both rows along the gradient. `__restrict` on them was tried, without gain.
template <int K>
[[gnu::always_inline]] inline void move(Factor<K>& p, Factor<K>& q, float e, float rate, float reg) {
  for (int k = 0; k < K; ++k) {
    const float old = p[k];
    p[k] += rate * (e * q[k] - reg * old);
    q[k] += rate * (e * old - reg * q[k]);
  }
}

/// The original's step for one rating. Returns the error before the step.
template <int K>
[[gnu::always_inline]] inline float step(Factor<K>& p, Factor<K>& q, float value, float rate, float reg) {
  const float e = value - dot(p, q);
  move<K>(p, q, e, rate, reg);
  return e;
}

/// The learning rate of a pass, as in the original.
inline float rate_of(const Options& options, int epoch) { return options.rate / (1 + 0.05f * epoch); }

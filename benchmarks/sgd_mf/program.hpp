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

/// Moves both rows along the gradient, with the original's numbers. The copies tell g++ that a store to one
/// row changes no number that is still to be read. Without them g++ 12 unrolls K = 8 and 16 whole and then
/// packs nothing, since the rows may overlap; `__restrict` and `#pragma GCC ivdep` did not help.
template <int K>
[[gnu::always_inline]] inline void move(Factor<K>& p, Factor<K>& q, float e, float rate, float reg) {
  const Factor<K> old_p = p, old_q = q;
  for (int k = 0; k < K; ++k) p[k] = old_p[k] + rate * (e * old_q[k] - reg * old_p[k]);
  for (int k = 0; k < K; ++k) q[k] = old_q[k] + rate * (e * old_p[k] - reg * old_q[k]);
}

/// The learning rate of a pass, as in the original.
inline float rate_of(const Options& options, int epoch) { return options.rate / (1 + 0.05f * epoch); }

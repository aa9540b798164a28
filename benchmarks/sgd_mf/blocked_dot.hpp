// The dot product of two rows by whole registers, in GCC's vector extensions.
//
// Each SIMD lane of a register has a sum of its own, and the SIMD lanes are added at the end. The order of
// additions is not the original's, so models differ in their last digits; `benchmarks/run` checks that the
// test error stays the same. Tried: `#pragma omp simd reduction`, for which g++ 12 adds the SIMD lanes one by
// one, takes 1.0, 1.9, 1.6, 1.7 and 1.4 times as long a pass at K = 8, 16, 32, 64 and 128 (AMD EPYC, Zen 5).

#pragma once

#include "../simd.hpp"
#include "program.hpp"

template <int N> [[gnu::always_inline]] inline lanes<N> product(const float* a, const float* b) {
  return load<N>(a) * load<N>(b);
}

template <int K> [[gnu::always_inline]] inline float blocked_dot(const Factor<K>& p, const Factor<K>& q) {
  constexpr int num_lanes = std::min(K, most_lanes);
  lanes<num_lanes> even = product<num_lanes>(p.data(), q.data());
  if constexpr (K == num_lanes) return total(even);
  // Two chains of additions: 0.85 of the time of one at K = 128.
  lanes<num_lanes> odd = product<num_lanes>(p.data() + num_lanes, q.data() + num_lanes);
  for (int k = 2 * num_lanes; k < K; k += 2 * num_lanes) {
    even += product<num_lanes>(p.data() + k, q.data() + k);
    odd += product<num_lanes>(p.data() + k + num_lanes, q.data() + k + num_lanes);
  }
  return total(even + odd);
}

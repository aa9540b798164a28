// Registers of floats, in GCC's vector extensions.

#pragma once

#include <cstring>

template <int N> using lanes [[gnu::vector_size(N * sizeof(float))]] = float;

#ifdef __AVX512F__
constexpr int most_lanes = 16;
#else
constexpr int most_lanes = 8;
#endif

[[gnu::always_inline]] inline float total(lanes<4> x) {
  const lanes<4> pairs = x + __builtin_shufflevector(x, x, 2, 3, 0, 1);
  return pairs[0] + pairs[1];
}

[[gnu::always_inline]] inline float total(lanes<8> x) {
  const lanes<4> low = __builtin_shufflevector(x, x, 0, 1, 2, 3);
  return total(low + __builtin_shufflevector(x, x, 4, 5, 6, 7));
}

[[gnu::always_inline]] inline float total(lanes<16> x) {
  const lanes<8> low = __builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7);
  return total(low + __builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15));
}

template <int N> [[gnu::always_inline]] inline lanes<N> load(const float* from) {
  lanes<N> x;
  std::memcpy(&x, from, sizeof x);
  return x;
}

template <int N> [[gnu::always_inline]] inline void store(float* to, lanes<N> x) {
  std::memcpy(to, &x, sizeof x);
}

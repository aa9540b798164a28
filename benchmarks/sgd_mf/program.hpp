// What the rivals share with the sequential original, which is all of it but the training loop.
//
// The original is included rather than copied: options, reading, initial values, dot product, printing and
// hash are the same by construction, and a rival differs only in how it runs.

#pragma once

#define main sequential_main
#include "../../examples/sgd_mf/sequential.cpp"
#undef main

template <int K> using Factor = std::array<float, K>;

/// The original's step for one rating; returns the error before it. (`__restrict` on the rows was tried: no
/// gain.)
template <int K>
[[gnu::always_inline]] inline float step(Factor<K>& p, Factor<K>& q, float value, float rate, float reg) {
  const float e = value - dot(p, q);
  for (int k = 0; k < K; ++k) {
    const float old = p[k];
    p[k] += rate * (e * q[k] - reg * old);
    q[k] += rate * (e * old - reg * q[k]);
  }
  return e;
}

/// Learning rate of a pass, as in the original.
inline float rate_of(const Options& options, int epoch) { return options.rate / (1 + 0.05f * epoch); }

/// Both files and the sizes of the model they need.
struct Input {
  std::vector<Rating> ratings;
  std::vector<Rating> test;
  int64_t users = 0;
  int64_t items = 0;
};

inline Input read_input(const Options& options) {
  Input input;
  input.ratings = read_text<Rating>(options.ratings, parse_rating);
  input.users = num_rows(options.ratings, input.ratings, &Rating::user);
  input.items = num_rows(options.ratings, input.ratings, &Rating::item);
  if (!options.test.empty()) {
    input.test = read_text<Rating>(options.test, parse_rating);
    input.users = std::max(input.users, num_rows(options.test, input.test, &Rating::user));
    input.items = std::max(input.items, num_rows(options.test, input.test, &Rating::item));
  }
  return input;
}

/// Calls trainer.template operator()<K>() for the rank K asked for; throws for one that is not built.
template <class Trainer> void dispatch(int rank, Trainer trainer) {
  switch (rank) {
    case 8:
      return trainer.template operator()<8>();
    case 16:
      return trainer.template operator()<16>();
    case 32:
      return trainer.template operator()<32>();
    case 64:
      return trainer.template operator()<64>();
    case 128:
      return trainer.template operator()<128>();
  }
  throw std::runtime_error("--rank " + std::to_string(rank) + " is not one of 8, 16, 32, 64, 128");
}

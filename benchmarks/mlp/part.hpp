// The work of one worker of the rivals by hand: its share of each mini-batch, with a gradient of its own.
//
// The weights of all hidden units for one input lie together, so that registers hold hidden units. Samples go
// through the network in blocks of four: a register of weights, or of the gradient, is loaded once for four
// samples.

#pragma once

#include "../simd.hpp"
#include "program.hpp"

constexpr int width = H / 16;  // registers for all hidden units
constexpr int block = 4;       // samples
static_assert(H % 16 == 0 && C <= 16);

/// The weights of the network, or their gradient.
struct alignas(64) Network {
  float first[D][H], first_bias[H], second[C][H], second_bias[16];

  float* data() { return reinterpret_cast<float*>(this); }
};
constexpr int network_size = sizeof(Network) / sizeof(float);

/// The original's initial weights.
inline Network make_network() {
  std::vector<std::array<float, D>> W1(H);
  std::vector<std::array<float, H>> W2(C);
  std::mt19937 random(2);
  make_weights(W1, random);
  make_weights(W2, random);
  Network network{};
  for (int j = 0; j < H; ++j) {
    for (int d = 0; d < D; ++d) network.first[d][j] = W1[j][d];
  }
  for (int c = 0; c < C; ++c) std::copy(W2[c].begin(), W2[c].end(), network.second[c]);
  return network;
}

/// The numbers of all hidden units, for a block of samples.
using Hidden = lanes<16>[block][width];

inline void find_hidden(const Network& network, const Sample* const* samples, Hidden& h) {
  for (int s = 0; s < block; ++s) {
    for (int r = 0; r < width; ++r) h[s][r] = load<16>(network.first_bias + 16 * r);
  }
  for (int d = 0; d < D; ++d) {
    for (int r = 0; r < width; ++r) {
      const lanes<16> weights = load<16>(network.first[d] + 16 * r);
      for (int s = 0; s < block; ++s) h[s][r] += weights * samples[s]->x[d];
    }
  }
  for (auto& sample : h) {
    for (lanes<16>& x : sample) x = x > 0 ? x : lanes<16>{};
  }
}

/// The scores of a sample.
inline void find_scores(const Network& network, const lanes<16>* h, float* score) {
  for (int c = 0; c < C; ++c) {
    lanes<16> sum = h[0] * load<16>(network.second[c]);
    for (int r = 1; r < width; ++r) sum += h[r] * load<16>(network.second[c] + 16 * r);
    score[c] = network.second_bias[c] + total(sum);
  }
}

/// Sets `back` to the gradient of a sample's hidden units; `p` is that of its scores.
inline void find_back(const Network& network, const float* p, const lanes<16>* h, lanes<16>* back) {
  for (int r = 0; r < width; ++r) back[r] = lanes<16>{};
  for (int c = 0; c < C; ++c) {
    for (int r = 0; r < width; ++r) back[r] += p[c] * load<16>(network.second[c] + 16 * r);
  }
  for (int r = 0; r < width; ++r) back[r] = h[r] > 0 ? back[r] : lanes<16>{};
}

/// Turns the scores of a sample into their gradient, adds the gradient of the last layer, and sets `back` to
/// that of the hidden units. Returns the loss.
inline float go_back(const Network& network, int label, const lanes<16>* h, Network& gradient,
                     lanes<16>* back) {
  float p[C];
  find_scores(network, h, p);
  softmax(p);
  const float loss = -std::log(p[label]);
  p[label] -= 1;
  find_back(network, p, h, back);
  for (int c = 0; c < C; ++c) {
    for (int r = 0; r < width; ++r) {
      float* const g = gradient.second[c] + 16 * r;
      store<16>(g, load<16>(g) + p[c] * h[r]);
    }
    gradient.second_bias[c] += p[c];
  }
  return loss;
}

/// Adds the gradient of the weights for input d, of a block of samples; input D is 1.
inline void add_input(const Sample* const* samples, int d, const Hidden& back, float* row) {
  for (int r = 0; r < width; ++r) {
    lanes<16> sum = load<16>(row + 16 * r);
    for (int s = 0; s < block; ++s) sum += (d < D ? samples[s]->x[d] : 1.0f) * back[s][r];
    store<16>(row + 16 * r, sum);
  }
}

inline void add_first_layer(const Sample* const* samples, const Hidden& back, Network& gradient) {
  for (int d = 0; d <= D; ++d) add_input(samples, d, back, d < D ? gradient.first[d] : gradient.first_bias);
}

/// Adds the gradient of the samples [first, last). Returns the sum of their losses.
inline double add_gradient(const Network& network, const Sample* first, const Sample* last,
                           Network& gradient) {
  double loss = 0;
  for (; first < last; first += block) {
    const Sample* samples[block];
    Hidden h, back = {};  // samples beyond the last move nothing
    for (int s = 0; s < block; ++s) samples[s] = std::min(first + s, last - 1);
    find_hidden(network, samples, h);
    for (int s = 0; s < block && first + s < last; ++s)
      loss += go_back(network, samples[s]->label, h[s], gradient, back[s]);
    add_first_layer(samples, back, gradient);
  }
  return loss;
}

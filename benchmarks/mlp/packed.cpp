// mlp on StradsAP with the kernels of the rivals by hand: registers hold hidden units, and samples go
// through the network in blocks of four.

#include <stradsap/stradsap.hpp>

#include "part.hpp"

/// A step down the gradient.
static void take_step(Network& network, const auto& first, const auto& second, const auto& bias, float rate) {
  for (int d = 0; d <= D; ++d) {
    float* const row = d < D ? network.first[d] : network.first_bias;
    for (int j = 0; j < H; ++j) row[j] -= rate * first[d][j];
  }
  for (int c = 0; c < C; ++c) {
    for (int j = 0; j < H; ++j) network.second[c][j] -= rate * second[c][j];
    network.second_bias[c] -= rate * bias[c];
  }
}

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  const int64_t n = options.samples;
  stradsap::dvector<Sample> samples(n);
  make_samples(samples);
  Network network = make_network();
  // The gradient; row D of the first layer is that of its biases.
  stradsap::dvector<std::array<float, H>> first_layer(D + 1), second_layer(C);
  stradsap::dvector<float> second_bias(C);

  for (int pass = 0; pass < options.passes; ++pass) {
    const double start = seconds_now();
    double loss = 0;
    for (int64_t first = 0; first < n; first += options.batch) {
      const int64_t size = std::min(options.batch, n - first);
      first_layer.assign(D + 1, {});
      second_layer.assign(C, {});
      second_bias.assign(C, 0);
      stradsap::async_for((size + block - 1) / block, [&](int64_t b) {
        const Sample* taken[block];
        Hidden h, back = {};  // samples beyond the last move nothing
        for (int s = 0; s < block; ++s) taken[s] = &samples[first + std::min(b * block + s, size - 1)];
        find_hidden(network, taken, h);
        for (int s = 0; s < block && b * block + s < size; ++s) {
          float p[C];
          find_scores(network, h[s], p);
          softmax(p);
          loss -= std::log(p[taken[s]->label]);
          p[taken[s]->label] -= 1;
          find_back(network, p, h[s], back[s]);
          const float* const numbers = reinterpret_cast<const float*>(h[s]);
          for (int c = 0; c < C; ++c) {
            for (int j = 0; j < H; ++j) second_layer[c][j] += p[c] * numbers[j];
            second_bias[c] += p[c];
          }
        }
        for (int d = 0; d <= D; ++d) {
          alignas(64) float sums[H] = {};
          add_input(taken, d, back, sums);
          for (int j = 0; j < H; ++j) first_layer[d][j] += sums[j];
        }
      });
      const float rate = options.rate / size;
      take_step(network, first_layer, second_layer, second_bias, rate);
    }
    std::printf("pass=%d seconds=%.6f loss=%.6g\n", pass, seconds_now() - start, loss / n);
  }
  return 0;
}

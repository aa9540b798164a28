// examples/mlp/mlp.cpp with its samples, weights and gradients in flat vectors.

#include "program.hpp"

#include <stradsap/stradsap.hpp>

/// The original's samples and initial weights.
static void make_flat(auto& X, auto& label, auto& W1, auto& W2) {
  std::vector<Sample> samples(label.size());
  make_samples(samples);
  for (size_t i = 0; i < samples.size(); ++i) {
    for (int d = 0; d < D; ++d) X[i * D + d] = samples[i].x[d];
    label[i] = samples[i].label;
  }
  std::vector<std::array<float, D>> rows1(H);
  std::vector<std::array<float, H>> rows2(C);
  std::mt19937 random(2);
  make_weights(rows1, random);
  make_weights(rows2, random);
  for (int j = 0; j < H; ++j) std::copy(rows1[j].begin(), rows1[j].end(), W1.begin() + j * D);
  for (int c = 0; c < C; ++c) std::copy(rows2[c].begin(), rows2[c].end(), W2.begin() + c * H);
}

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  const int64_t n = options.samples;
  stradsap::dvector<float> X(n * D);
  stradsap::dvector<int> label(n);
  stradsap::dvector<float> W1(H * D), G1(H * D), W2(C * H), G2(C * H);
  stradsap::dvector<float> b1(H), b2(C), g1(H), g2(C);
  make_flat(X, label, W1, W2);

  for (int pass = 0; pass < options.passes; ++pass) {
    const double start = seconds_now();
    double loss = 0;
    for (int64_t first = 0; first < n; first += options.batch) {
      const int64_t size = std::min(options.batch, n - first);
      G1.assign(H * D, 0);
      G2.assign(C * H, 0);
      g1.assign(H, 0);
      g2.assign(C, 0);
      stradsap::async_for(size, [&](int64_t i) {
        const float* x = &X[(first + i) * D];
        float h[H], p[C];
        for (int j = 0; j < H; ++j) {
          float sum = b1[j];
          for (int d = 0; d < D; ++d) sum += W1[j * D + d] * x[d];
          h[j] = std::max(sum, 0.0f);
        }
        for (int c = 0; c < C; ++c) {
          p[c] = b2[c];
          for (int j = 0; j < H; ++j) p[c] += W2[c * H + j] * h[j];
        }
        softmax(p);
        loss -= std::log(p[label[first + i]]);
        p[label[first + i]] -= 1;  // from here on, the loss by the scores
        float back[H] = {};
        for (int c = 0; c < C; ++c) {
          for (int j = 0; j < H; ++j) back[j] += p[c] * W2[c * H + j];
          for (int j = 0; j < H; ++j) G2[c * H + j] += p[c] * h[j];
          g2[c] += p[c];
        }
        for (int j = 0; j < H; ++j) {
          if (h[j] == 0) continue;
          for (int d = 0; d < D; ++d) G1[j * D + d] += back[j] * x[d];
          g1[j] += back[j];
        }
      });
      const float rate = options.rate / size;
      descend(W1, G1, rate);
      descend(W2, G2, rate);
      descend(b1, g1, rate);
      descend(b2, g2, rate);
    }
    std::printf("pass=%d seconds=%.6f loss=%.6g\n", pass, seconds_now() - start, loss / n);
  }
}

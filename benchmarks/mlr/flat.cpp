// examples/mlr/mlr.cpp with its weights and gradient in flat vectors.

#include "program.hpp"

#include <stradsap/stradsap.hpp>

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  const int64_t n = options.samples, F = options.features;
  stradsap::dvector<Sample> samples(n);
  make_samples(samples, options.features);
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  stradsap::dvector<float> W(C * F), gradient(C * F);
  std::mt19937 random(2);

  for (int pass = 0; pass < options.passes; ++pass) {
    const double start = seconds_now();
    std::shuffle(order.begin(), order.end(), random);
    double loss = 0;
    for (int64_t first = 0; first < n; first += options.batch) {
      const int64_t size = std::min(options.batch, n - first);
      gradient.assign(C * F, 0);
      stradsap::async_for(size, [&](int64_t i) {
        const Sample& sample = samples[order[first + i]];
        float p[C];
        for (int c = 0; c < C; ++c) {
          p[c] = 0;
          for (const Feature& f : sample.features) p[c] += W[c * F + f.index] * f.value;
        }
        softmax(p);
        loss -= std::log(p[sample.label]);
        for (int c = 0; c < C; ++c) {
          const float error = p[c] - (c == sample.label);
          for (const Feature& f : sample.features) gradient[c * F + f.index] += error * f.value;
        }
      });
      const float rate = options.rate / size;
      for (int64_t k = 0; k < C * F; ++k) W[k] -= rate * gradient[k];
    }
    std::printf("pass=%d seconds=%.6f loss=%.6g\n", pass, seconds_now() - start, loss / n);
  }
}

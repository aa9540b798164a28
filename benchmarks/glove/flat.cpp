// GloVe with all rows in flat arrays, on StradsAP.
//
// Options, data and output are those of examples/glove/sequential.cpp.

#define main sequential_main
#include "../../examples/glove/sequential.cpp"
#undef main

#include <vector>

#include <stradsap/stradsap.hpp>

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  const int words = options.words, dim = options.dim;
  stradsap::dvector<Pair> pairs;
  make_pairs(pairs, options);
  const int64_t n = pairs.size();
  stradsap::dvector<float> W(words * dim), C(words * dim);
  stradsap::dvector<float> W_squares(words * dim, 1.0f);
  stradsap::dvector<float> C_squares(words * dim, 1.0f);
  stradsap::dvector<float> b(words), c(words), b_squares(words, 1.0f), c_squares(words, 1.0f);
  std::mt19937 random(2);
  for (int i = 0; i < words; ++i) {
    for (int d = 0; d < dim; ++d) W[i * dim + d] = (random() % 1000 / 1000.0f - 0.5f) / dim;
    for (int d = 0; d < dim; ++d) C[i * dim + d] = (random() % 1000 / 1000.0f - 0.5f) / dim;
  }

  for (int pass = 0; pass < options.passes; ++pass) {
    const double start = seconds_now();
    double loss = 0;
    stradsap::async_for(n, [&](int64_t j) {
      const int i = pairs[j].word, k = pairs[j].context;
      float error = b[i] + c[k] - std::log(pairs[j].count);
      for (int d = 0; d < dim; ++d) error += W[i * dim + d] * C[k * dim + d];
      const float weight = std::min(1.0f, std::pow(pairs[j].count / 10, 0.75f));
      loss += 0.5 * weight * error * error;
      const float g = weight * error;
      for (int d = 0; d < dim; ++d) {
        const float gw = g * C[k * dim + d], gc = g * W[i * dim + d];
        W[i * dim + d] -= options.rate * gw / std::sqrt(W_squares[i * dim + d]);
        C[k * dim + d] -= options.rate * gc / std::sqrt(C_squares[k * dim + d]);
        W_squares[i * dim + d] += gw * gw;
        C_squares[k * dim + d] += gc * gc;
      }
      b[i] -= options.rate * g / std::sqrt(b_squares[i]);
      c[k] -= options.rate * g / std::sqrt(c_squares[k]);
      b_squares[i] += g * g;
      c_squares[k] += g * g;
    });
    std::printf("pass=%d seconds=%.6f loss=%.6g\n", pass, seconds_now() - start, loss / n);
  }
}

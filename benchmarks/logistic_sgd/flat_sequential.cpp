// examples/logistic_sgd/sequential.cpp with its samples in one struct of vectors (CSR).

#include "program.hpp"

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  const int64_t n = options.samples;
  const Rows X = make_rows(options);
  std::vector<float> w(options.features);

  for (int pass = 0; pass < options.passes; ++pass) {
    const double start = seconds_now();
    const float rate = options.rate / std::sqrt(1.0f + pass);
    double loss = 0;
    for (int64_t i = 0; i < n; ++i) {
      float margin = 0;
      for (int64_t k = X.begin[i]; k < X.begin[i + 1]; ++k) margin += w[X.index[k]] * X.value[k];
      const float p = 1 / (1 + std::exp(-margin));
      const float step = rate * (X.label[i] - p);
      for (int64_t k = X.begin[i]; k < X.begin[i + 1]; ++k) w[X.index[k]] += step * X.value[k];
      loss += std::log1p(std::exp(X.label[i] > 0 ? -margin : margin));
    }
    std::printf("pass=%d seconds=%.6f loss=%.6g\n", pass, seconds_now() - start, loss / n);
  }
}

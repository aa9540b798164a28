// examples/svm/sequential.cpp with its samples in flat vectors (CSR).

#include "program.hpp"

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  const int64_t n = options.samples;
  const float C = options.C;
  std::vector<int64_t> begin;
  std::vector<int> feature;
  std::vector<float> value, label, norm;
  make_rows(options, begin, feature, value, label, norm);
  std::vector<float> w(options.features), alpha(n);
  std::vector<int> index(n);
  std::iota(index.begin(), index.end(), 0);
  std::mt19937 random(2);

  for (int pass = 0; pass < options.passes; ++pass) {
    const double start = seconds_now();
    std::shuffle(index.begin(), index.end(), random);
    for (int64_t s = 0; s < n; ++s) {
      const int i = index[s];
      float score = 0;
      for (int64_t k = begin[i]; k < begin[i + 1]; ++k) score += w[feature[k]] * value[k];
      const float G = label[i] * score - 1;
      float PG = G;  // the projected gradient
      if (alpha[i] == 0) {
        PG = std::min(G, 0.0f);
      } else if (alpha[i] == C) {
        PG = std::max(G, 0.0f);
      }
      if (std::abs(PG) > 1e-6f) {
        const float old = alpha[i];
        alpha[i] = std::clamp(old - G / norm[i], 0.0f, C);
        const float step = (alpha[i] - old) * label[i];
        for (int64_t k = begin[i]; k < begin[i + 1]; ++k) w[feature[k]] += step * value[k];
      }
    }
    const double seconds = seconds_now() - start;
    std::printf("pass=%d seconds=%.6f objective=%.6g\n", pass, seconds, objective(alpha, w) / n);
  }
}

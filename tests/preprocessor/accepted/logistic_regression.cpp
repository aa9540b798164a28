// Logistic regression over sparse samples, in program order: the very bits of the plain loop.
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

using Feature = std::pair<int, float>;  // index, value

struct Sample {
  std::vector<Feature> x;
  bool positive = false;
};

float learning_rate = 0.5f;  // lowered from pass to pass

static inline float sigmoid(float z) { return 1.f / (1.f + std::exp(-z)); }

static std::vector<Sample> make_samples(int n, int dim) {
  std::vector<Sample> samples(n);
  for (int j = 0; j < n; ++j) {
    samples[j].positive = j % 3 == 0;
    for (int k = 0; k < 4; ++k) samples[j].x.emplace_back((j * 11 + k * k * 7) % dim, 0.25f * static_cast<float>(k + 1));
  }
  return samples;
}

int main() {
  const int n = 600, dim = 90;
  const auto samples = make_samples(n, dim);
  const stradsap::dvector<Sample> data(samples.begin(), samples.end());
  stradsap::dvector<float> w(dim);
  std::vector<float> expected(dim);
  for (int pass = 0; pass < 3; ++pass) {
    stradsap::parallel_for(n, [&](int64_t j) {
      const auto& [x, positive] = data[j];
      float z = 0;
      for (const auto& [index, value] : x) z += w[index] * value;
      const float error = (positive ? 1.f : 0.f) - sigmoid(z);
      for (const auto& [index, value] : x) w[index] += learning_rate * error * value;
    }, stradsap::consistency::ordered);
    for (const auto& [x, positive] : samples) {
      float z = 0;
      for (const auto& [index, value] : x) z += expected[index] * value;
      const float error = (positive ? 1.f : 0.f) - sigmoid(z);
      for (const auto& [index, value] : x) expected[index] += learning_rate * error * value;
    }
    learning_rate *= 0.5f;
  }
  for (int i = 0; i < dim; ++i) {
    if (std::as_const(w)[i] != expected[i]) return 1;
  }
  return 0;
}

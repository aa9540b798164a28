// Helpers that read and write the loop's written elements, called in every place of an expression: as an argument
// of another call, in a condition, under a condition on the data, after a return that depends on the data.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <stradsap/stradsap.hpp>

struct Sample {
  std::array<int, 3> features;
  int label;
};

static void step(stradsap::dvector<double>& weights, const Sample& sample, double by) {
  for (const int feature : sample.features) weights[feature] += by;
}

static std::vector<Sample> make_samples(int n) {
  std::vector<Sample> samples(n);
  for (int i = 0; i < n; ++i) samples[i] = {{i % 40, i * 7 % 40, i * 11 % 40}, i % 3 - 1};
  return samples;
}

/// The number of elements that differ from a plain program's.
static int count_unequal(const stradsap::dvector<double>& found, const std::vector<double>& expected) {
  int unequal = 0;
  for (size_t i = 0; i < expected.size(); ++i) unequal += std::abs(found[i] - expected[i]) > 1e-12;
  return unequal;
}

struct model {
  std::vector<double> weights, biases;
};

static model learn_plainly(const std::vector<Sample>& all) {
  std::vector<double> weights(40, 0.1), biases(3);
  const auto sum_of = [&](const Sample& s) {
    double sum = 0;
    for (const int feature : s.features) sum += weights[feature];
    return sum;
  };
  const auto change = [&](const Sample& s, double by) {
    for (const int feature : s.features) weights[feature] += by;
  };
  for (const double rate : {0.1, 0.05}) {
    for (const Sample& s : all) {
      const double p = 1 / (1 + std::exp(-sum_of(s)));
      change(s, rate * (p - weights[s.features[0]]) / std::max(0.1, sum_of(s)));
    }
    for (const Sample& s : all) {
      const double clipped = std::min(0.5, sum_of(s));
      if (sum_of(s) < 0.2 && weights[s.features[0]] < 0.1) change(s, clipped);
      if (s.label < 0) continue;
      biases[s.label] += std::floor(10 * (weights[s.features[1]] += 0.01));
      if (sum_of(s) <= 1) change(s, std::min(0.02, sum_of(s)));
    }
  }
  return {weights, biases};
}

int main() {
  const int n = 120;
  const std::vector<Sample> all = make_samples(n);
  stradsap::dvector<Sample> samples(n);
  for (int i = 0; i < n; ++i) samples[i] = all[i];
  stradsap::dvector<double> w(40, 0.1), bias(3);
  const auto score = [&w](const Sample& s) {
    double sum = 0;
    for (const int feature : s.features) sum += w[feature];
    return sum;
  };
  const auto of = [](const stradsap::dvector<double>& weights, const Sample& s) { return weights[s.features[0]]; };
  const auto bump = [&w](int feature) { return w[feature] += 0.01; };

  const auto learn = [&](double rate) {
    stradsap::parallel_for(
        n,
        [&](int64_t j) {
          const Sample& s = samples[j];
          const double p = 1 / (1 + std::exp(-score(s)));
          const double margin = std::max(0.1, score(s));
          const double first = of(w, s);
          step(w, s, rate * (p - first) / margin);
        },
        stradsap::consistency::ordered);
    stradsap::parallel_for(
        n,
        [&](int64_t j) {
          const Sample& s = samples[j];
          const double clipped = score(s) > 0.5 ? 0.5 : score(s);
          if (score(s) < 0.2 && of(w, s) < 0.1) step(w, s, clipped);
          if (s.label < 0) return;
          bias[s.label] += std::floor(10 * bump(s.features[1]));
          if (score(s) > 1) return;
          step(w, s, std::min(0.02, score(s)));
        },
        stradsap::consistency::ordered);
  };
  learn(0.1);
  learn(0.05);

  const auto [weights, biases] = learn_plainly(all);
  const int unequal = count_unequal(w, weights) + count_unequal(bias, biases);
  std::printf("%d of %d differ\n", unequal, 43);
  return unequal;
}

// EM for a mixture of two Gaussians: responsibilities are aligned, the sufficient statistics one struct of reductions.
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

struct Gaussian {
  double weight = 0.5, mean = 0, variance = 1;
};
struct Model {
  Gaussian parts[2];
};
struct Statistics {
  double mass[2] = {}, sum[2] = {}, square[2] = {};
};

static double density(const Gaussian& g, double x) {
  const double pi = std::acos(-1.0);
  return g.weight * std::exp(-(x - g.mean) * (x - g.mean) / (2 * g.variance)) / std::sqrt(2 * pi * g.variance);
}

static void maximise(Model& model, const Statistics& s) {
  for (int k = 0; k < 2; ++k) {
    Gaussian& g = model.parts[k];
    g.mean = s.sum[k] / s.mass[k];
    g.variance = s.square[k] / s.mass[k] - g.mean * g.mean + 1e-6;
    g.weight = s.mass[k] / (s.mass[0] + s.mass[1]);
  }
}

int main() {
  const int n = 1000;
  std::vector<double> x(n);
  for (int j = 0; j < n; ++j) x[j] = (j % 2 == 0 ? -3 : 4) + std::sin(j * 12.9898);
  std::vector<double> wanted_responsibility(n);
  stradsap::dvector<double> data(x.begin(), x.end()), responsibility(n);
  Model model, expected;
  model.parts[0].mean = expected.parts[0].mean = -1;
  for (int round = 0; round < 8; ++round) {
    Statistics s, wanted;
    stradsap::parallel_for(n, [&data, &responsibility, &s, model](int64_t j) {
      const double p0 = density(model.parts[0], data[j]), p1 = density(model.parts[1], data[j]);
      const double r[] = {p0 / (p0 + p1), p1 / (p0 + p1)};
      for (int k = 0; k < 2; ++k) {
        s.mass[k] += r[k];
        s.sum[k] += r[k] * data[j];
        s.square[k] += r[k] * data[j] * data[j];
      }
      responsibility[j] = r[0];
    }, stradsap::consistency::async);
    maximise(model, s);
    for (int j = 0; j < n; ++j) {
      const double v = x[j];
      const double p0 = density(expected.parts[0], v), p1 = density(expected.parts[1], v);
      const double r[] = {p0 / (p0 + p1), p1 / (p0 + p1)};
      for (int k = 0; k < 2; ++k) wanted.mass[k] += r[k], wanted.sum[k] += r[k] * v, wanted.square[k] += r[k] * v * v;
      wanted_responsibility[j] = r[0];
    }
    maximise(expected, wanted);
  }
  for (int k = 0; k < 2; ++k) {
    const Gaussian& found = model.parts[k];
    const Gaussian& right = expected.parts[k];
    if (std::abs(found.mean - right.mean) > 1e-9 || std::abs(found.variance - right.variance) > 1e-9) return 1;
    if (std::abs(found.weight - right.weight) > 1e-9) return 2;
  }
  for (int j = 0; j < n; ++j) {
    if (std::abs(std::as_const(responsibility)[j] - wanted_responsibility[j]) > 1e-9) return 3;
  }
  return std::abs(expected.parts[0].mean + 3) < 0.1 && std::abs(expected.parts[1].mean - 4) < 0.1 ? 0 : 4;
}

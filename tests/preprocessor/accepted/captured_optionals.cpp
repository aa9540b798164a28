// Captured std::optional objects that the body reads: by reference and by copy, of numbers and of classes.
#include <stradsap/stradsap.hpp>

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

using stradsap::async_for;
using stradsap::dvector;

struct settings {
  float rate = 0.5f;
  std::vector<float> weights = {1, 2, 3};
  float scaled(float by) const { return rate * by; }
};
struct model {
  std::optional<settings> tuned;
  std::optional<int> step;
};

int main() {
  const int n = 200;
  dvector<float> X(n, 1);
  std::optional<settings> c = settings{};
  std::optional<settings> none;
  std::optional<int> shift = 3, nowhere;
  const std::optional<float> bound = 40.0f;
  std::optional<std::string> name = "four";
  const model all{settings{.rate = 0.25f}, 2};

  async_for(n, [&](int j) { X[j] += c->rate * c->weights[j % c->weights.size()]; });
  async_for(n, [&](int j) {
    if (c) X[j] += (*c).rate + c->scaled(2) + c.value().weights[0];
    if (none) X[j] += none->rate;
  });
  async_for(n, [&](int j) { X[j] += shift.value_or(7) + nowhere.value_or(j) + name->size(); });
  async_for(n, [&X, c, shift](int j) { X[j] += c->rate * *shift; });
  async_for(n, [&](int j) {
    if (bound.has_value() && X[j] > *bound) X[j] = bound.value();
    X[(j + shift.value()) % n] += nowhere.has_value() ? 1 : 2;
  });
  async_for(n, [&](int j) {
    const settings& now = *c;
    const float* first = c->weights.data();
    X[j] += now.rate + first[1] + (nowhere == std::nullopt) + (shift == 3);
  });
  async_for(n, [&](int j) { X[j] += all.tuned->rate * all.step.value_or(1); });
  c->rate = 2;
  c->weights.push_back(4);
  nowhere = 1;
  none = settings{.rate = 8};
  async_for(n, [&](int j) {
    X[j] += c->rate * c->weights.back() + *nowhere;
    if (none) X[j] += none->rate;
  });
  double sum = 0;
  for (int j = 0; j < n; ++j) sum += (1 + j % 13) * static_cast<double>(X[j]);
  std::printf("%.17g\n", sum);
}

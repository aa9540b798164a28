// Steps of `main` that g++ rounds by the instructions that it chooses, under -ffast-math. Prints hashes of
// the containers after each batch; they may depend neither on ranks and threads nor on when messages come.
#include <cmath>
#include <cstdio>
#include <cstring>

/// Stands before the API, so nothing of the API can be inserted here.
static float greatest(const auto& all) {
  float greatest = all[0];
  for (std::size_t i = 1; i < all.size(); ++i) greatest = all[i] > greatest ? all[i] : greatest;
  return greatest;
}

#include <stradsap/stradsap.hpp>

constexpr int num_weights = 1000;

struct layer {
  stradsap::dvector<float> w, m;
  layer() : w(num_weights, 0.1f), m(num_weights) {}
  void step(const stradsap::dvector<float>& g) {
    for (std::size_t i = 0; i < w.size(); ++i) {
      const float d = g[i] * 0.01f;
      m[i] += d * d;
      w[i] -= 0.05f * d / std::sqrt(m[i] + 1e-8f);
    }
  }
};

static float product(const stradsap::dvector<float>& a, const stradsap::dvector<float>& b) {
  float sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

static float first(const stradsap::dvector<float>& a) { return a[0] * a[1] + a[2] * a[3] + a[4] * a[5]; }

static unsigned hash_of(const stradsap::dvector<float>& all) {
  unsigned hash = 1;
  for (const float x : all) {
    unsigned bits;
    std::memcpy(&bits, &x, sizeof bits);
    hash = hash * 31 + bits;
  }
  return hash;
}

int main() {
  layer model;
  stradsap::dvector<float> g(num_weights), extra(num_weights, 1.0f);
  for (int batch = 0; batch < 20; ++batch) {
    g.assign(num_weights, 0.0f);
    stradsap::async_for(64, [&](int b) {
      for (int i = 0; i < num_weights; ++i) g[i] += model.w[i] - 0.01f * static_cast<float>(b + i % 7);
    });
    stradsap::async_for(num_weights, [&](int i) { extra[i] += 0.001f * g[i]; });
    if (batch % 2 == 0)
      for (int i = 0; i < num_weights; ++i)
        extra[i] = extra[i] * 0.9f + model.w[i] / std::sqrt(1 + g[i] * g[i]);
    const float all = product(g, model.w), some = first(extra);
    model.step(g);
    std::printf("%d %08x %08x %08x %a %a %a\n", batch, hash_of(model.w), hash_of(model.m), hash_of(extra),
                static_cast<double>(all), static_cast<double>(some), static_cast<double>(greatest(extra)));
  }
}

// Bodies that the native compiler vectorises over iterations. Each loop runs at several lengths: the bits of
// element j depend on j alone, not on the end of the loop. Prints the loops and lengths that leave other bits
// than the longest, and hashes.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include <stradsap/stradsap.hpp>

struct Particle {
  float at, speed;
};

struct Adam {
  float rate = 0.01f, decay = 0.9f;
  stradsap::dvector<float> weight, mean, square;
  explicit Adam(int n) : weight(n), mean(n), square(n) {}

  void step(const stradsap::dvector<float>& gradient, int n) {
    stradsap::async_for(n, [&](int j) {
      const float g = gradient[j];
      mean[j] = decay * mean[j] + (1 - decay) * g;
      square[j] = decay * square[j] + (1 - decay) * g * g;
      weight[j] -= rate * mean[j] / (std::sqrt(square[j]) + 1e-3f);
    });
  }
};

constexpr int longest = 20000, num_loops = 8;
static float number(int j, int of) {
  return 0.001f * static_cast<float>((j * 7919 + of * 104729) % 4001 - 2000);
}
static float clipped(float x) { return std::min(std::max(x, -0.5f), 0.5f); }

using Values = stradsap::dvector<float>;

static void run(int n, Values& a, Values& b, Values& c, Values& d, Values& e, Values& f, Values& g, Values& h,
                stradsap::dvector<int>& counts) {
  stradsap::dvector<float> x(longest), y(longest), z(longest);
  stradsap::dvector<Particle> particles(longest);
  for (int j = 0; j < longest; ++j) {
    x[j] = number(j, 1);
    y[j] = number(j, 2);
    z[j] = number(j, 3);
    particles[j] = {number(j, 4), number(j, 5)};
    counts[j] = j;
  }
  for (Values* one : {&a, &b, &c, &d, &e, &f, &g, &h}) *one = x;
  const float rate = 0.3f;
  const int period = 7;
  stradsap::async_for(n, [&](int j) { a[j] = 1 / (1 + std::exp(-y[j])); });
  stradsap::async_for(
      n, [&](std::int64_t j) { b[j] = b[j] > 0 ? b[j] * y[j] + rate : b[j] / (2 + y[j] * y[j]); });
  stradsap::async_for(n,
                      [&](std::size_t j) { c[j] += rate * y[j] + 2 * c[j] * rate + clipped(y[j]) * c[j]; });
  stradsap::async_for(n, [&](int j) {
    if (j % period == 0) return;
    d[j] = 3 * d[j] - y[j] * d[j];
    counts[j] = counts[j] % period - static_cast<int>(100 * d[j]) / period;
  });
  stradsap::async_for(n, [&](int j) {
    if (j < longest - 1000) e[j] = e[j] * z[j] + y[j];
  });
  stradsap::async_for(n, [&](int j) {
    particles[j].speed -= rate * particles[j].at;
    particles[j].at += rate * particles[j].speed;
    f[j] = particles[j].at * y[j] + particles[j].speed;
  });
  Adam adam(longest);
  for (int pass = 0; pass < 3; ++pass) adam.step(y, n);
  stradsap::async_for(n, [&](int j) { g[j] = adam.weight[j]; });
  stradsap::parallel_for(
      n, [&](int j) { h[j] = (h[j] + y[j] + 1.5f) * (h[j] - y[j]) + h[j] / (y[j] + 9); },
      stradsap::consistency::sync(900));
}

struct Results {
  Values of[num_loops];
  stradsap::dvector<int> counts;
  explicit Results(int n) : counts(longest) {
    run(n, of[0], of[1], of[2], of[3], of[4], of[5], of[6], of[7], counts);
  }
};

int main() {
  Results all(longest);
  for (const int n : {1, 3, 63, 64, 65, 200, 777, 19999}) {
    Results part(n);
    for (int k = 0; k < num_loops; ++k) {
      int differ = 0;
      for (int j = 0; j < n; ++j) differ += std::memcmp(&part.of[k][j], &all.of[k][j], sizeof(float)) != 0;
      if (differ != 0) std::printf("loop %d of %d iterations: %d other elements\n", k, n, differ);
    }
    for (int j = 0; j < n; ++j) {
      if (part.counts[j] != all.counts[j]) std::printf("count %d of %d\n", j, n);
    }
  }
  for (int k = 0; k < num_loops; ++k) {
    std::uint64_t hash = 1469598103934665603ull;
    for (int j = 0; j < longest; ++j) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, &all.of[k][j], sizeof bits);
      hash = (hash ^ bits) * 1099511628211ull;
    }
    std::printf("%d %016llx\n", k, static_cast<unsigned long long>(hash));
  }
}

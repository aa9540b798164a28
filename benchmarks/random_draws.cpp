// The cost of a draw of stradsap::random: nanoseconds, the best of 200 rounds of 50,000 iterations each.
// The shapes are those of bodies: one draw of a stream, several, a place, a normal number, a bootstrap
// sample. Beside them stands std::mt19937_64 with its distributions, as a sequential program draws.
//
//   tools/build release random_draws && build/release/bin/random_draws

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

#include <stradsap/stradsap.hpp>

using steady = std::chrono::steady_clock;

static volatile double sink;

/// Seconds of one round, under a launch key as in a loop.
template <class Body> static double seconds_of(std::int64_t iterations, const Body& body) {
  const stradsap::abi::launch_scope now({1, 1});
  const auto start = steady::now();
  double sum = 0;
  for (std::int64_t j = 0; j < iterations; ++j) sum += body(j);
  sink = sum;
  return std::chrono::duration<double>(steady::now() - start).count();
}

template <class Body> static void measure(const char* name, int draws, const Body& body) {
  constexpr std::int64_t iterations = 50'000;
  double best = seconds_of(iterations, body);
  for (int round = 1; round < 200; ++round) best = std::min(best, seconds_of(iterations, body));
  std::printf("%-28s %6.2f ns a draw\n", name, 1e9 * best / static_cast<double>(iterations * draws));
}

/// The mean of a sample with replacement; draw(n) is a place below n.
template <class Draw> static double resampled_mean(const std::vector<double>& data, const Draw& draw) {
  double sum = 0;
  for (std::size_t k = 0; k < 16; ++k) sum += data[draw(data.size())];
  return sum;
}

static void measure_mersenne_twister(const std::vector<double>& data) {
  std::mt19937_64 engine(1);
  measure("mt19937_64, uniform", 1,
          [&](std::int64_t) { return std::uniform_real_distribution<double>()(engine); });
  measure("mt19937_64, 16 places", 16, [&](std::int64_t) {
    return resampled_mean(
        data, [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(engine); });
  });
  measure("mt19937_64, normal", 1, [&](std::int64_t) { return std::normal_distribution<double>()(engine); });
}

int main() {
  measure("random(j).uniform()", 1, [](std::int64_t j) { return stradsap::random(j).uniform(); });
  measure("4 x uniform()", 4, [](std::int64_t j) {
    auto draw = stradsap::random(j);
    const double first = draw.uniform() + draw.uniform();
    return first + draw.uniform() + draw.uniform();
  });
  measure("16 x uniform()", 16, [](std::int64_t j) {
    auto draw = stradsap::random(j);
    double sum = 0;
    for (int k = 0; k < 16; ++k) sum += draw.uniform();
    return sum;
  });
  measure("random(j).below(1000)", 1,
          [](std::int64_t j) { return static_cast<double>(stradsap::random(j).below(1000)); });
  measure("random(j).normal()", 1, [](std::int64_t j) { return stradsap::random(j).normal(); });
  const std::vector<double> data(500, 1.5);
  measure("16 x below(500)", 16, [&](std::int64_t j) {
    auto draw = stradsap::random(j);
    return resampled_mean(data, [&](std::size_t n) { return draw.below(n); });
  });
  measure_mersenne_twister(data);
}

// The cost of a draw of stradsap::random: nanoseconds, the best of 15 rounds of a million iterations each.
// The shapes are those of bodies: one draw of a stream, four of it, a place, a normal number.
//
//   tools/build release random_draws && build/release/bin/random_draws

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>

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
  constexpr std::int64_t iterations = 1'000'000;
  double best = seconds_of(iterations, body);
  for (int round = 1; round < 15; ++round) best = std::min(best, seconds_of(iterations, body));
  std::printf("%-28s %6.2f ns a draw\n", name, 1e9 * best / static_cast<double>(iterations * draws));
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
}

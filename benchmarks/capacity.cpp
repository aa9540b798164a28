// Measures the speed of several cores at once: spins THREADS threads for SECONDS and prints the rate of the
// slowest, in millions of rounds a second. benchmarks/run compares it with the rate of one thread before each
// timing that needs several cores.
//
//   capacity THREADS SECONDS

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

using steady = std::chrono::steady_clock;

/// Rounds a second of a dependent chain until the deadline. The chain runs in registers, so only the core
/// counts.
static double spin(std::chrono::duration<double> length) {
  constexpr int rounds_a_look = 100'000;
  volatile uint64_t sink = 1;
  uint64_t x = sink, rounds = 0;
  const auto start = steady::now();
  std::chrono::duration<double> passed{};
  while (passed < length) {
    for (int i = 0; i < rounds_a_look; ++i) x = x * 6364136223846793005u + 1442695040888963407u;
    rounds += rounds_a_look;
    passed = steady::now() - start;
  }
  sink = x;
  return static_cast<double>(rounds) / passed.count();
}

int main(int argc, char** argv) {
  const int num_threads = argc == 3 ? std::atoi(argv[1]) : 0;
  const double seconds = argc == 3 ? std::atof(argv[2]) : 0;
  if (num_threads < 1 || num_threads > 1024 || !(seconds > 0 && seconds <= 60)) {
    std::fprintf(stderr, "usage: %s THREADS SECONDS (1 to 1024 threads, at most 60 seconds)\n", argv[0]);
    return 2;
  }
  std::vector<double> rates(num_threads);
  std::barrier all_started(num_threads);
  std::vector<std::jthread> threads;
  for (int t = 0; t < num_threads; ++t) {
    threads.emplace_back([&, t] {
      all_started.arrive_and_wait();
      rates[t] = spin(std::chrono::duration<double>(seconds));
    });
  }
  threads.clear();  // joins
  std::printf("%.3f\n", *std::min_element(rates.begin(), rates.end()) / 1e6);
  return 0;
}

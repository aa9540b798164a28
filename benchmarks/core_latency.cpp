// Measures how far two cores are from each other: two threads pass a number back and forth, each on a core of
// its own. Prints the nanoseconds of one way. Hosts move the cores of a virtual machine, so this figure
// changes, and with it the speed of programs with data that threads share.
//
//   core_latency

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <thread>

/// Binds this thread to the n-th core that the process may use.
static void use_core(int n) {
  cpu_set_t allowed, one;
  CPU_ZERO(&allowed);
  CPU_ZERO(&one);
  pthread_getaffinity_np(pthread_self(), sizeof allowed, &allowed);
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &allowed) && n-- == 0) CPU_SET(core, &one);
  }
  pthread_setaffinity_np(pthread_self(), sizeof one, &one);
}

int main() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  pthread_getaffinity_np(pthread_self(), sizeof allowed, &allowed);
  if (CPU_COUNT(&allowed) < 2) {
    std::fprintf(stderr, "core_latency: this process may use one core only\n");
    return 1;
  }
  constexpr int64_t rounds = 200'000;
  alignas(64) std::atomic<int64_t> turn{0};
  const auto pass_back = [&](int64_t mine) {
    use_core(static_cast<int>(mine));
    for (int64_t round = 0; round < rounds; ++round) {
      while (turn.load(std::memory_order_acquire) != 2 * round + mine) {
      }
      turn.store(2 * round + mine + 1, std::memory_order_release);
    }
  };
  const auto start = std::chrono::steady_clock::now();
  std::thread other(pass_back, 1);
  std::thread one(pass_back, 0);
  one.join();
  other.join();
  const std::chrono::duration<double, std::nano> passed = std::chrono::steady_clock::now() - start;
  std::printf("%.0f\n", passed.count() / (2 * rounds));
  return 0;
}

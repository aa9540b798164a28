// Loops that do not go on: argv[1] chooses the reason. An iteration of a loop with computed places never
// ends, or ends late. Those of "slow", in program order, take a tenth of a second each.
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <mutex>
#include <string>

#include "tests/support/program.hpp"

static std::mutex never_unlocked;

static void wait_in(const std::string& kind) {
  volatile bool goes_on = true;
  if (kind == "endless") {
    while (goes_on) continue;
  } else if (kind == "read") {
    int ends[2];
    char byte = 0;
    if (pipe(ends) == 0) (void)!read(ends[0], &byte, 1);
  } else if (kind == "mutex") {
    never_unlocked.lock();
    never_unlocked.lock();
  } else if (kind == "stop") {
    std::raise(SIGSTOP);
  } else if (kind == "long") {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(3);
    while (std::chrono::steady_clock::now() < end) continue;
  }
}

static void run_slowly() {
  stradsap::dvector<int> x(64, 1);
  stradsap::parallel_for(25,
                         test::loop<2, 0>(
                             "stuck.cpp:slow",
                             [](decltype(x)& x) {
                               return [&x](std::int64_t j) {
                                 const auto end =
                                     std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
                                 while (std::chrono::steady_clock::now() < end) continue;
                                 x[x[j * 7 % 64] % 64] += 1;
                               };
                             },
                             test::container < test::reads | test::writes | test::steers, "x" > (x)),
                         stradsap::consistency::ordered);
  std::printf("slow\n");
}

int main(int, char** argv) {
  stradsap::abi::enter_main();
  if (argv[1] == std::string("slow")) return run_slowly(), 0;
  constexpr std::int64_t n = 40000;
  constexpr std::int64_t size = 64;
  stradsap::dvector<int> x(size, 1);
  stradsap::dvector<int> y(size, 1);
  // the first call makes the plan, so the second one is stuck in a block, not in reconnaissance
  for (const std::string& kind : {std::string("none"), std::string(argv[1])}) {
    stradsap::parallel_for(n,
                           test::loop<1, 0>(
                               "stuck.cpp:41",
                               [](const std::string& kind, decltype(x)& x, decltype(y)& y) {
                                 return [kind, &x, &y](std::int64_t j) {
                                   if (j == 23456) wait_in(kind);
                                   int& mine = x[j * 7919 % size];
                                   mine += y[j * size / n] % 7;
                                   y[j * size / n] += mine % 5;
                                 };
                               },
                               test::value<0>(kind), test::container < test::reads | test::writes, "x" > (x),
                               test::container < test::reads | test::writes, "y" > (y)),
                           stradsap::consistency::async);
  }
  long long sum = 0;
  for (std::int64_t i = 0; i < size; ++i) sum += x[i] + y[i];
  std::printf("sum=%lld\n", sum);
}

#include <atomic>
#include <thread>
#include <vector>

#include "runtime/loop/blocks/ready_blocks.hpp"
#include "tests/support/catch.hpp"

using namespace stradsap::rt;

TEST_CASE("a executor takes its most urgent block, and of others only what they have to spare", "[loop]") {
  ready_blocks ready(2, 5, wait_policy{});
  ready.add(10, 0, 7);
  ready.add(11, 0, 3);
  ready.add(12, 0, 5);
  ready.add(20, 1, 9);
  double waited = 0;
  CHECK(ready.take(1, waited) == 20);
  const std::uint32_t spared = ready.take(1, waited);
  CHECK((spared == 10 || spared == 12));
  CHECK(ready.take(0, waited) == 11);
  ready.add(30, 1, 1);
  CHECK(ready.take(1, waited) == 30);
  CHECK(ready.take(0, waited) == (spared == 10 ? 12 : 10));
  CHECK(ready.take(0, waited) == ready_blocks::none);
  CHECK(ready.take(1, waited) == ready_blocks::none);
}

TEST_CASE("an urgent block goes to the executor that asks first, before its own blocks", "[loop]") {
  ready_blocks ready(2, 4, wait_policy{});
  double waited = 0;
  ready.add(10, 0, 7);
  ready.add(20, 1, 1);
  ready.add_urgent(30);
  ready.add_urgent(31);
  const std::uint32_t first = ready.take(1, waited);
  const std::uint32_t second = ready.take(0, waited);
  CHECK(first + second == 61);
  CHECK(ready.take(1, waited) == 20);
  CHECK(ready.take(0, waited) == 10);
}

TEST_CASE("each block is taken once, whoever adds it and whether executors spin or sleep", "[loop]") {
  const bool cores_to_spare = GENERATE(true, false);
  constexpr std::uint32_t count = 20000;
  constexpr int executors = 3;
  ready_blocks ready(executors, count, wait_policy{cores_to_spare});
  std::vector<std::atomic<int>> taken(count);
  std::vector<std::thread> threads;
  for (int executor = 0; executor < executors; ++executor) {
    threads.emplace_back([&, executor] {
      double waited = 0;
      // Each block makes two others ready, on other executors, as tokens do.
      for (std::uint32_t b = ready.take(executor, waited); b != ready_blocks::none;
           b = ready.take(executor, waited)) {
        ++taken[b];
        for (const std::uint32_t next : {2 * b + 1, 2 * b + 2}) {
          if (next < count) ready.add(next, static_cast<int>(next) % executors, next);
        }
      }
    });
  }
  ready.add(0, 0, 0);
  for (std::thread& t : threads) t.join();
  bool once = true;
  for (const auto& times : taken) once = once && times == 1;
  CHECK(once);
}

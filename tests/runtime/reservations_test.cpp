// Reservations of one round after the other, and how many iterations a round takes.
#include <thread>
#include <vector>

#include "runtime/loop/reservations.hpp"
#include "runtime/loop/transactions.hpp"
#include "tests/support/catch.hpp"

using namespace stradsap::rt;

TEST_CASE("an element is the lowest member's, in whatever order members ask", "[loop]") {
  reservations made(2);
  made.cover(0, 10);
  made.cover(1, 10);
  made.begin_round();
  made.reserve(0, 3, 5);
  made.reserve(0, 3, 2);
  made.reserve(0, 3, 9);
  CHECK_FALSE(made.is_reserved_below(0, 3, 0));
  CHECK_FALSE(made.is_reserved_below(0, 3, 2));
  CHECK(made.is_reserved_below(0, 3, 3));
  CHECK(made.is_reserved_below(0, 3, 9));
  CHECK_FALSE(made.is_reserved_below(0, 4, 9));
  CHECK_FALSE(made.is_reserved_below(1, 3, 9));
}

TEST_CASE("what an earlier round has reserved counts for nothing", "[loop]") {
  reservations made(1);
  made.cover(0, 4);
  made.begin_round();
  made.reserve(0, 1, 0);
  made.begin_round();
  CHECK_FALSE(made.is_reserved_below(0, 1, 7));
  made.reserve(0, 1, 6);
  CHECK_FALSE(made.is_reserved_below(0, 1, 6));
  CHECK(made.is_reserved_below(0, 1, 7));
}

TEST_CASE("a container may grow between rounds and keeps what is reserved", "[loop]") {
  reservations made(1);
  made.cover(0, 2);
  made.begin_round();
  made.reserve(0, 1, 3);
  made.cover(0, 100);
  made.reserve(0, 99, 4);
  CHECK(made.is_reserved_below(0, 1, 4));
  CHECK(made.is_reserved_below(0, 99, 5));
  CHECK_FALSE(made.is_reserved_below(0, 98, 5));
}

TEST_CASE("threads that reserve at once leave the lowest member of each element", "[loop]") {
  constexpr std::uint32_t members = 4000, elements = 37;
  reservations made(1);
  made.cover(0, elements);
  made.begin_round();
  std::vector<std::thread> threads;
  for (std::uint32_t t = 0; t < 4; ++t) {
    threads.emplace_back([&made, t] {
      for (std::uint32_t m = t; m < members; m += 4) made.reserve(0, m % elements, members - m);
    });
  }
  for (std::thread& one : threads) one.join();
  for (std::uint32_t e = 0; e < elements; ++e) {
    std::uint32_t lowest = members;
    for (std::uint32_t m = e; m < members; m += elements) lowest = members - m;
    CHECK_FALSE(made.is_reserved_below(0, e, lowest));
    CHECK(made.is_reserved_below(0, e, lowest + 1));
  }
}

TEST_CASE("rounds grow while nearly all of them stands and shrink where half of it does not", "[loop]") {
  CHECK(next_round_size(/*members=*/256, /*stood=*/256, /*size=*/256) == 512);
  CHECK(next_round_size(256, 192, 256) == 512);
  CHECK(next_round_size(256, 160, 256) == 256);
  CHECK(next_round_size(256, 127, 256) == 128);
  CHECK(next_round_size(1, 1, 1) == 2);
  CHECK(next_round_size(2, 1, 2) == 2);
  CHECK(next_round_size(4096, 4096, 4096) == 4096);
  CHECK(next_round_size(100, 1, 256) == 256);
}

// Whether transactions run in place or in rounds, according to both costs.
#include "runtime/loop/transactions/transaction_pace.hpp"

#include <algorithm>

#include "tests/support/catch.hpp"

using stradsap::rt::transaction_pace;

namespace {

/// A loop of `n` iterations with these times, in place and in rounds.
struct times_of_ways {
  double in_place = 0;  // seconds
  double in_rounds = 0;
  int rounds = 0;
};
times_of_ways run(transaction_pace& pace, std::int64_t n, double place_each, double round_each,
                  double repeated = 0) {
  times_of_ways all;
  while (n > 0) {
    const transaction_pace::stretch next = pace.next();
    const std::int64_t count = std::min(n, next.count);
    const double seconds = static_cast<double>(count) * (next.in_place ? place_each : round_each);
    n -= count;
    if (next.in_place) {
      all.in_place += seconds;
      pace.ran_in_place(count, seconds);
    } else {
      all.in_rounds += seconds;
      ++all.rounds;
      pace.ran_round(count, static_cast<std::int64_t>(static_cast<double>(count) * repeated), 8, seconds);
    }
  }
  return all;
}
times_of_ways run(transaction_pace&& of_one_call, std::int64_t n, double place_each, double round_each) {
  return run(of_one_call, n, place_each, round_each);
}

}  // namespace

TEST_CASE("one thread runs transactions in place, in one stretch", "[loop]") {
  CHECK(transaction_pace(1, false).next().in_place);
  CHECK(transaction_pace(1, false).next().count > 1'000'000'000'000);
}

TEST_CASE("iterations that cost next to nothing are never attempted on copies", "[loop]") {
  CHECK(run({2, false}, 100'000'000, 20e-9, 200e-9).rounds == 0);
}

TEST_CASE("a loop of few iterations wakes nobody", "[loop]") {
  CHECK(run({2, false}, 90, 1e-6, 0.6e-6).rounds == 0);
}

TEST_CASE("rounds that are quicker run nearly all of the loop", "[loop]") {
  const times_of_ways all = run({2, false}, 1'000'000, 1e-6, 0.6e-6);
  CHECK(all.in_place < 0.1);
  CHECK(all.in_rounds > 0.5);
}

TEST_CASE("rounds that are slower take a small part of the time", "[loop]") {
  const times_of_ways all = run({2, false}, 1'000'000, 1e-6, 3e-6);
  CHECK(all.rounds > 0);
  CHECK(all.in_rounds < 0.1 * all.in_place);
}

TEST_CASE("long iterations are attempted from the first ones on", "[loop]") {
  const times_of_ways all = run({2, false}, 100, 0.1, 0.05);
  CHECK(all.in_place < 0.5);
}

TEST_CASE("rounds only are rounds from the first to the last", "[loop]") {
  CHECK(run({1, true}, 100'000, 1e-6, 1e-6).in_place == 0);
  CHECK(run({2, true}, 100'000, 1e-9, 1e-6).in_place == 0);
}

TEST_CASE("rounds grow while their attempts stand and shrink where they do not", "[loop]") {
  transaction_pace pace(2, true);
  const std::int64_t first = pace.next().count;
  pace.ran_round(first, 0, 0, 1e-6);
  CHECK(pace.next().count == 2 * first);
  pace.ran_round(2 * first, first, 0, 1e-6);
  CHECK(pace.next().count == first);
  pace.ran_round(first, first / 5, 0, 1e-6);
  CHECK(pace.next().count == first);
  pace.ran_round(first / 2, 0, 0, 1e-6);  // the last iterations of a loop
  CHECK(pace.next().count == first);
}

TEST_CASE("copies of a round fit into a cache", "[loop]") {
  transaction_pace pace(2, true);
  const std::int64_t first = pace.next().count;
  pace.ran_round(first, 0, static_cast<std::size_t>(first) << 20, 1e-6);
  CHECK(pace.next().count == 8);
}

TEST_CASE("an interruption of a thread in place makes no round", "[loop]") {
  transaction_pace pace(2, false);
  int rounds = 0;
  for (int k = 0; k < 1000; ++k) {
    const transaction_pace::stretch next = pace.next();
    rounds += next.in_place ? 0 : 1;
    const double seconds = static_cast<double>(next.count) * 30e-9 + (k % 50 == 49 ? 4e-3 : 0);
    next.in_place ? pace.ran_in_place(next.count, seconds) : pace.ran_round(next.count, 0, 0, seconds);
  }
  CHECK(rounds == 0);
}

TEST_CASE("iterations that are slow at first only do not keep a loop in rounds", "[loop]") {
  transaction_pace pace(2, false);
  double lost = 0;
  for (std::int64_t done = 0; done < 4'000'000;) {
    const transaction_pace::stretch next = pace.next();
    const double place_each = done < 5000 ? 1e-6 : 30e-9;  // the first access to new pages
    const double each = next.in_place ? place_each : 600e-9;
    const double seconds = static_cast<double>(next.count) * each;
    lost += static_cast<double>(next.count) * std::max(0.0, each - place_each);
    done += next.count;
    next.in_place ? pace.ran_in_place(next.count, seconds) : pace.ran_round(next.count, 0, 0, seconds);
  }
  CHECK(lost < 0.05 * 4'000'000 * 30e-9);
}

TEST_CASE("later calls of a loop do not measure rounds anew", "[loop]") {
  transaction_pace pace(2, false);
  int rounds = 0;
  for (int call = 0; call < 20; ++call) rounds += run(pace, 10'000, 1e-6, 3e-6).rounds;
  CHECK(rounds > 0);
  CHECK(rounds <= 8);  // twenty calls that begin anew make forty
}

TEST_CASE("a loop that has run in place for hours finds out that rounds are quicker now", "[loop]") {
  transaction_pace pace(2, false);
  for (int call = 0; call < 10; ++call) run(pace, 1'000'000'000, 1e-6, 3e-6);
  CHECK(run(pace, 4'000'000, 1e-6, 0.6e-6).in_rounds > 0.5);
}

#include "runtime/observe/stall_detector.hpp"

#include <chrono>

#include "tests/support/catch.hpp"

using namespace stradsap::rt;
using namespace std::chrono_literals;

namespace {

constexpr pulse in_loop(std::uint64_t progress) { return {progress, true, false}; }
constexpr pulse between_loops(std::uint64_t progress) { return {progress, false, false}; }

/// Two ranks with a hang time-out of four seconds, so a pulse is due each second.
struct watched {
  stall_detector ranks{2, 4s};
  std::chrono::milliseconds now{0};
  void second(const pulse& first, const pulse& other) {
    now += 1s;
    ranks.heard(0, first, now);
    ranks.heard(1, other, now);
  }
};

}  // namespace

TEST_CASE("A run stalls after the time-out without progress of any rank, within a loop", "[observe]") {
  watched run;
  run.second(in_loop(5), in_loop(9));
  for (int s = 0; s < 3; ++s) run.second(in_loop(5), in_loop(9));
  CHECK_FALSE(run.ranks.is_stalled(run.now));
  run.second(in_loop(5), in_loop(9));
  CHECK(run.ranks.is_stalled(run.now));
  CHECK(run.ranks.stalled_for(run.now) == 4s);
}

TEST_CASE("Progress of one rank is progress of the run", "[observe]") {
  watched run;
  for (std::uint64_t s = 0; s < 20; ++s) {
    run.second(in_loop(5), in_loop(s / 3));
    CHECK_FALSE(run.ranks.is_stalled(run.now));
  }
}

TEST_CASE("The program may take its time between loops", "[observe]") {
  watched run;
  for (int s = 0; s < 20; ++s) run.second(between_loops(5), between_loops(9));
  CHECK_FALSE(run.ranks.is_stalled(run.now));
  run.second(in_loop(5), between_loops(9));
  CHECK_FALSE(run.ranks.is_stalled(run.now));
}

TEST_CASE("A rank without a recent pulse is silent, which is no stall", "[observe]") {
  watched run;
  run.second(in_loop(5), in_loop(9));
  for (int s = 0; s < 9; ++s) {
    run.now += 1s;
    run.ranks.heard(0, in_loop(5), run.now);
  }
  CHECK_FALSE(run.ranks.is_stalled(run.now));
  run.ranks.heard(1, in_loop(9), run.now);
  CHECK(run.ranks.is_stalled(run.now));
}

TEST_CASE("A rank that has not sent a pulse yet keeps a run from being stalled", "[observe]") {
  stall_detector ranks(2, 4s);
  for (int s = 0; s < 9; ++s) ranks.heard(0, in_loop(5), std::chrono::seconds(s));
  CHECK_FALSE(ranks.is_stalled(9s));
}

TEST_CASE("Reports become rarer while a run goes on", "[observe]") {
  watched run;
  int reports = 0;
  for (int s = 0; s < 100; ++s) {
    run.second(in_loop(5), in_loop(9));
    if (!run.ranks.is_stalled(run.now)) continue;
    ++reports;
    run.ranks.reported(run.now);
  }
  CHECK(reports == 5);  // after 4, 8, 16, 32 and 64 s
}

TEST_CASE("A run plans while some rank in a loop does", "[observe]") {
  stall_detector ranks(2, 4s);
  ranks.heard(0, in_loop(5), 0s);
  ranks.heard(1, {9, true, true}, 0s);
  CHECK(ranks.is_planning());
  ranks.heard(1, {9, false, true}, 0s);
  CHECK_FALSE(ranks.is_planning());
}

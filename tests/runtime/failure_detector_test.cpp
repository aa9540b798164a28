#include "runtime/net/failure_detector.hpp"

#include <chrono>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"

using namespace stradsap::rt;
using namespace std::chrono_literals;

namespace {

/// Four ranks at a time that the test sets; the hang time-out is 30 s.
struct watched_ranks {
  failure_detector::clock::time_point now{1h};
  failure_detector found{4, 30s, now};
};

std::vector<rank_id> ranks_of(const std::vector<loss>& losses) {
  std::vector<rank_id> ranks;
  for (const loss& one : losses) ranks.push_back(one.rank);
  return ranks;
}

}  // namespace

TEST_CASE("a rank is lost once it has been silent for longer than the hang time-out", "[failure]") {
  watched_ranks w;
  w.found.met(1, w.now);
  w.found.met(2, w.now);
  w.now += 20s;
  w.found.heard(2, w.now);
  w.now += 10s;
  CHECK(w.found.silent(w.now).empty());
  w.now += 1ms;
  const auto silent = w.found.silent(w.now);
  REQUIRE(ranks_of(silent) == std::vector<rank_id>{1});
  CHECK(silent[0].why == "it has been silent for 30 s");
  CHECK(w.found.lose(1));
  CHECK(w.found.silent(w.now).empty());
  w.now += 20s;
  CHECK(ranks_of(w.found.silent(w.now)) == std::vector<rank_id>{2});
}

TEST_CASE("a rank that has not come yet may be silent, and all may without a hang time-out", "[failure]") {
  watched_ranks w;
  CHECK(w.found.silent(w.now + 24h).empty());
  failure_detector patient(2, 0s, w.now);
  patient.met(1, w.now);
  CHECK(patient.silent(w.now + 24h).empty());
}

TEST_CASE("a closed connection makes a rank unreachable, and lost once that is said", "[failure]") {
  watched_ranks w;
  w.found.met(1, w.now);
  CHECK(w.found.is_reachable(1));
  CHECK(w.found.disconnected(1));
  CHECK(!w.found.disconnected(1));  // once
  CHECK(!w.found.is_reachable(1));
  CHECK(!w.found.is_lost(1));  // its last messages may follow
  const auto departed = w.found.departed();
  REQUIRE(ranks_of(departed) == std::vector<rank_id>{1});
  CHECK(departed[0].why == "its process has gone");
  CHECK(w.found.lose(1));
  CHECK(w.found.is_lost(1));
  CHECK(w.found.departed().empty());
  CHECK(!w.found.disconnected(1));
}

TEST_CASE("a connection that closes before the rank has come is no loss", "[failure]") {
  watched_ranks w;
  CHECK(!w.found.disconnected(3));
  CHECK(w.found.departed().empty());
  CHECK(w.found.is_reachable(3));
}

TEST_CASE("a rank that is lost before it has come stays lost", "[failure]") {
  watched_ranks w;
  CHECK(w.found.lose(3));
  w.found.met(3, w.now);
  CHECK(w.found.is_lost(3));
}

TEST_CASE("a loss is reported once, and not at all where departures are expected", "[failure]") {
  watched_ranks w;
  w.found.met(1, w.now);
  CHECK(w.found.lose(1));
  CHECK(!w.found.lose(1));
  w.found.met(2, w.now);
  w.found.expect_departures();
  CHECK(!w.found.lose(2));
  CHECK(w.found.is_lost(2));
}

TEST_CASE("pings go out every interval, to ranks that have come and not departed", "[failure]") {
  watched_ranks w;
  CHECK(!w.found.is_ping_due(w.now));
  CHECK(w.found.next_ping() == w.now + failure_detector::ping_interval);
  w.now += failure_detector::ping_interval;
  CHECK(w.found.is_ping_due(w.now));
  CHECK(!w.found.is_ping_due(w.now));
  w.now += 10s;  // late: the interval begins again
  CHECK(w.found.is_ping_due(w.now));
  CHECK(w.found.next_ping() == w.now + failure_detector::ping_interval);
  w.found.suspect(w.now);
  for (int i = 0; i <= failure_detector::short_pings; ++i) {
    CHECK(!w.found.is_ping_due(w.now));
    w.now += failure_detector::short_interval;
    CHECK(w.found.is_ping_due(w.now));
  }
  CHECK(w.found.next_ping() == w.now + failure_detector::ping_interval);
  for (const rank_id r : {1, 2, 3}) w.found.met(r, w.now);
  CHECK(w.found.disconnected(2));
  CHECK(w.found.lose(3));
  CHECK(w.found.present() == std::vector<rank_id>{1});
}

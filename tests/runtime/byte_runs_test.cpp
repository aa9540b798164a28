// Elements in runs, taken as one stream of bytes.
#include <algorithm>
#include <string>

#include "runtime/loop/plan/byte_runs.hpp"
#include "tests/support/catch.hpp"

using stradsap::rt::byte_runs;

static std::string take(byte_runs& runs, const std::string& from, std::size_t length) {
  std::string taken;
  runs.take(length, [&](std::size_t at, std::size_t count) {
    CHECK(count > 0);
    taken += from.substr(at, count);
  });
  return taken;
}

TEST_CASE("runs are one stream, wherever it is cut") {
  const std::string array = "aabbccddeeff";
  for (std::size_t length = 1; length <= 8; ++length) {
    byte_runs runs(2);
    runs.add(4, 1);
    runs.add(1, 0);
    runs.add(0, 2);
    runs.add(2, 1);
    REQUIRE(runs.size() == 8);
    std::string all;
    while (all.size() < runs.size()) all += take(runs, array, std::min(length, 8 - all.size()));
    CHECK(all == "eeaabbcc");
  }
}

TEST_CASE("neighbours are one run") {
  byte_runs runs(3);
  runs.add(5, 1);
  runs.add(6, 2);
  std::size_t stretches = 0;
  runs.take(9, [&](std::size_t at, std::size_t count) {
    ++stretches;
    CHECK(at == 15);
    CHECK(count == 9);
  });
  CHECK(stretches == 1);
}

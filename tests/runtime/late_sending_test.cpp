// The choice when a loop sends its large captured values.
#include "runtime/cluster/late_sending.hpp"

#include <algorithm>

#include "tests/support/catch.hpp"

using stradsap::rt::late_sending;

namespace {

constexpr std::uint64_t MB = 1000000;  // take 2 ms to send

/// A program that calls a loop of `n` iterations, on two ranks.
struct sender {
  std::uint64_t bytes;
  std::int64_t n = 640;
  late_sending late{0.5};
  std::uint64_t counted = 0;  // bytes, by all calls together

  /// The number of iterations that run before the values are sent; n if none are.
  template <class Seconds> std::int64_t call(const Seconds& seconds_of_part) {
    late.begin(n);
    for (std::int64_t ran = 0; ran < n;) {
      const std::int64_t part = late.next();
      const double seconds = seconds_of_part(ran, ran + part);
      ran += part;
      const auto count = [&](std::uint64_t most) {
        const std::uint64_t found = std::min(bytes, most + 1);
        counted += found;
        return found;
      };
      if (late.pays(part, seconds, count)) return ran;
    }
    return n;
  }
  std::int64_t call_of(double seconds) {
    return call([&](std::int64_t begin, std::int64_t end) {
      return seconds * static_cast<double>(end - begin) / static_cast<double>(n);
    });
  }
  /// The number of calls that ran on the driver's rank.
  int calls_here(int calls, double seconds) {
    for (int call = 0; call < calls; ++call) {
      if (call_of(seconds) < n) return call;
    }
    return calls;
  }
};

}  // namespace

TEST_CASE("a long first call sends its values soon after its start", "[cluster]") {
  CHECK(sender{40 * MB}.call_of(10) <= 10);
  CHECK(sender{40 * MB}.call_of(0.5) <= 40);
}

TEST_CASE("a loop sends its values once that would have paid for itself, and not before", "[cluster]") {
  const int calls = sender{4 * MB}.calls_here(1000, 4e-3);
  CHECK(calls >= 4);
  CHECK(calls <= 10);
}

TEST_CASE("loops shorter than a look at their values never send them, nor count them often", "[cluster]") {
  sender program{40 * MB};
  CHECK(program.calls_here(10000, 1e-3) == 10000);
  CHECK(program.counted < 100 * MB);
}

TEST_CASE("one disturbed part of a short call sends nothing", "[cluster]") {
  for (const int disturbed : {0, 1}) {
    int part = 0;
    sender program{40 * MB};
    CHECK(program.call([&](std::int64_t, std::int64_t) { return part++ == disturbed ? 4e-3 : 1e-5; }) ==
          program.n);
  }
}

TEST_CASE("a call sends its values if its last iterations take much longer than the first ones",
          "[cluster]") {
  const auto growing = [](std::int64_t begin, std::int64_t end) {
    const auto seconds_until = [](std::int64_t j) { return 1e-6 * static_cast<double>(j * j); };
    return seconds_until(end) - seconds_until(begin);
  };
  CHECK(sender{10 * MB}.call(growing) < 640);
}

TEST_CASE("a long call after short ones sends its values before it has run half", "[cluster]") {
  sender program{40 * MB};
  REQUIRE(program.calls_here(100, 1e-4) == 100);
  CHECK(program.call_of(5) < 320);
}

TEST_CASE("a loop of few iterations runs one, then a few", "[cluster]") {
  sender program{40 * MB, 8};
  CHECK(program.call_of(8e-1) == 1);
}

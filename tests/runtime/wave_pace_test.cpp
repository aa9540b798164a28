// Whether a loop runs in program order or by waves, according to both costs.
#include "runtime/loop/waves/wave_pace.hpp"

#include <concepts>

#include "tests/support/catch.hpp"

using stradsap::rt::wave_pace;

namespace {

/// The seconds of both ways in some calls of a loop of n iterations.
struct ran {
  double in_place = 0;
  double by_waves = 0;
  std::int64_t first_by_waves = -1;  // the first iteration by waves, in the last call
};
/// `place(j)`: the seconds of iteration j in program order.
template <std::invocable<std::int64_t> Place>
ran run(wave_pace& pace, int calls, std::int64_t n, Place place, double wave_each, bool plans_again = false) {
  ran all;
  bool has_plan = false;
  for (int call = 0; call < calls; ++call) {
    all.first_by_waves = -1;
    pace.begin();
    for (std::int64_t at = 0; at < n;) {
      const std::int64_t count = pace.next(n - at);
      REQUIRE(count <= n - at);
      if (count == 0) {
        const double plan = has_plan && !plans_again ? 0 : 2e-6 * static_cast<double>(n);
        const double seconds = wave_each * static_cast<double>(n - at);
        pace.ran_waves(n - at, seconds + plan, plan);
        has_plan = true;
        all.by_waves += seconds + plan;
        all.first_by_waves = at;
        break;
      }
      double seconds = 0;
      for (std::int64_t j = at; j < at + count; ++j) seconds += place(j);
      pace.ran_in_place(count, seconds);
      all.in_place += seconds;
      at += count;
    }
  }
  return all;
}
ran run(wave_pace& pace, int calls, std::int64_t n, double place_each, double wave_each,
        bool plans_again = false) {
  return run(pace, calls, n, [&](std::int64_t) { return place_each; }, wave_each, plans_again);
}

}  // namespace

TEST_CASE("one executor, or conflicts everywhere: never waves", "[loop]") {
  wave_pace alone(1, 50, 4);
  CHECK(run(alone, 3, 10000, 1, 1e-9).by_waves == 0);
  wave_pace chained(16, 1.1, 4);
  CHECK(run(chained, 3, 10000, 1, 1e-9).by_waves == 0);
}

TEST_CASE("short iterations stay in program order", "[loop]") {
  wave_pace pace(8, 50, 4);
  CHECK(run(pace, 20, 100000, 3e-7, 1e-6).by_waves == 0);
}

TEST_CASE("long iterations go by waves within the first call, after a short look", "[loop]") {
  wave_pace pace(8, 50, 4);
  const ran first = run(pace, 1, 100000, 1e-4, 2e-5);
  CHECK(first.first_by_waves > 0);
  CHECK(first.in_place < 0.02);
  const ran second = run(pace, 1, 100000, 1e-4, 2e-5);
  CHECK(second.first_by_waves == 0);
}

TEST_CASE("one long iteration is enough of a look: few of them go by waves, too", "[loop]") {
  for (const std::int64_t n : {2, 16, 32}) {
    wave_pace pace(8, 50, 4);
    CHECK(run(pace, 1, n, 0.1, 0.03).first_by_waves == 1);
  }
}

TEST_CASE("elements that take long to find are not found within the first call, but for the calls to come",
          "[loop]") {
  wave_pace pace(2, 50, 4, 3e-4);
  CHECK(run(pace, 1, 800, 5e-5, 2.6e-5).by_waves == 0);
  CHECK(run(pace, 1, 800, 5e-5, 2.6e-5).first_by_waves == 0);
}

TEST_CASE("a loop that was thought to be parallel stays in program order once it is known to be a chain",
          "[loop]") {
  wave_pace pace(8, 8, 4);
  pace.begin();
  REQUIRE(pace.next(100) == 1);
  pace.ran_in_place(1, 0.1);
  REQUIRE(pace.next(99) == 0);
  pace.limit(1);
  CHECK(pace.next(99) == 99);
}

TEST_CASE("waves that disappoint are left, and so are plans that never hold", "[loop]") {
  wave_pace slow(8, 50, 4);
  CHECK(run(slow, 1, 10000, 2e-5, 9e-5).by_waves > 0);
  CHECK(run(slow, 5, 10000, 2e-5, 9e-5).by_waves == 0);
  wave_pace planned(2, 50, 4);
  CHECK(run(planned, 20, 1000, 5e-6, 3.5e-6, /*plans_again=*/true).in_place > 0);
  CHECK(run(planned, 1, 1000, 5e-6, 3.5e-6, true).by_waves == 0);
}

TEST_CASE("a first look that was disturbed does not keep waves for ever", "[loop]") {
  wave_pace pace(4, 50, 4);
  pace.begin();
  pace.ran_in_place(pace.next(100000), 0.02);
  REQUIRE(pace.next(99999) == 0);
  pace.ran_waves(99999, 1.5, 0.2);
  CHECK(run(pace, 3, 100000, 3e-6, 1.5e-5).in_place > 0);
  CHECK(run(pace, 3, 100000, 3e-6, 1.5e-5).by_waves == 0);
}

TEST_CASE("looks at program order become rare where waves are right", "[loop]") {
  wave_pace pace(8, 50, 4);
  constexpr double of_a_look = 1e-3;  // at most
  constexpr double of_a_long_look = 0.04;
  CHECK(run(pace, 200, 10000, 1e-5, 2e-6).in_place < 15 * of_a_look + 3 * of_a_long_look);
}

TEST_CASE("calls that begin with their longest iterations do not keep waves for ever", "[loop]") {
  wave_pace pace(2, 50, 4);
  const auto place = [](std::int64_t j) { return j < 20 ? 5e-4 : 1e-6; };
  CHECK(run(pace, 1, 5000, place, 5e-6, /*plans_again=*/true).by_waves > 0);
  (void)run(pace, 2, 5000, place, 5e-6, true);
  CHECK(run(pace, 20, 5000, place, 5e-6, true).by_waves == 0);
}

TEST_CASE("a call in program order that was disturbed does not decide for the calls to come", "[loop]") {
  wave_pace pace(2, 50, 4);
  CHECK(run(pace, 5, 256, 2e-7, 1.5e-6, /*plans_again=*/true).by_waves == 0);
  (void)run(pace, 1, 256, 1e-3, 1.5e-6, true);
  CHECK(run(pace, 20, 256, 2e-7, 1.5e-6, true).by_waves == 0);
  wave_pace disturbed(2, 50, 4);
  (void)run(disturbed, 2, 256, 1e-3, 1.5e-6, true);
  CHECK(run(disturbed, 20, 256, 2e-7, 1.5e-6, true).in_place > 0);
  CHECK(run(disturbed, 20, 256, 2e-7, 1.5e-6, true).by_waves == 0);
}

TEST_CASE("iterations run side by side once that pays for the search and for the threads", "[loop]") {
  wave_pace long_loop = wave_pace::side_by_side(2, 10000, 10, 0);
  const ran most = run(long_loop, 20, 10000, 2e-6, 1e-6);
  CHECK(most.by_waves > most.in_place);
  wave_pace short_loop = wave_pace::side_by_side(2, 40, 25, 0);
  CHECK(run(short_loop, 20, 40, 1e-7, 5e-8).by_waves == 0);
  wave_pace costly = wave_pace::side_by_side(2, 10000, 10, 1e-4);
  CHECK(run(costly, 20, 10000, 2e-6, 1e-6).by_waves == 0);
  wave_pace alone = wave_pace::side_by_side(1, 10000, 10, 0);
  CHECK(run(alone, 20, 10000, 2e-6, 1e-6).by_waves == 0);
}

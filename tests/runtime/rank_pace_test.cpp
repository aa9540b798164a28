// The choice between all ranks and the driver's rank alone, for short loops.
#include "runtime/cluster/rank_pace.hpp"
#include "tests/support/catch.hpp"

using stradsap::rt::rank_pace;

/// The number of `calls` that ran on the driver's rank.
static int calls_here(rank_pace& pace, int calls, double everywhere, double here) {
  int count = 0;
  for (int call = 0; call < calls; ++call) {
    const bool is_here = pace.is_here();
    count += is_here ? 1 : 0;
    const bool is_disturbed = call % 5 == 0;
    pace.note((is_here ? here : everywhere) + (is_disturbed ? 1e-2 : 0));
  }
  return count;
}

TEST_CASE("short calls run where they are faster, whatever disturbs some of them", "[cluster]") {
  rank_pace here;
  CHECK(calls_here(here, 1000, 4e-4, 3e-4) > 900);
  rank_pace everywhere;
  CHECK(calls_here(everywhere, 1000, 3e-4, 4e-4) < 50);
}

TEST_CASE("a loop moves to all ranks once they have become faster, and back", "[cluster]") {
  rank_pace pace;
  (void)calls_here(pace, 1000, 4e-4, 3e-4);
  (void)calls_here(pace, 2000, 3e-4, 4e-4);
  CHECK(calls_here(pace, 1000, 3e-4, 4e-4) < 100);
  (void)calls_here(pace, 5000, 4e-4, 3e-4);
  CHECK(calls_here(pace, 1000, 4e-4, 3e-4) > 900);
}

TEST_CASE("long calls never run on the driver's rank alone", "[cluster]") {
  rank_pace pace;
  CHECK(calls_here(pace, 1000, 6e-3, 1e-3) == 0);
}

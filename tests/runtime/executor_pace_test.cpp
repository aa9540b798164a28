// The choice between all executors and some of the driver's rank, for loops in ranges.
#include "runtime/cluster/executor_pace.hpp"
#include "tests/support/catch.hpp"

using stradsap::rt::executor_pace;

namespace {

/// A program that calls a loop again and again.
struct caller {
  executor_pace pace;
  double now = 0;

  /// The number of `calls` that ran on the driver's rank. From call to call takes `everywhere` or `here`
  /// seconds. On all ranks the call itself takes `itself`; on the driver's rank, its iterations `alone`.
  int calls_here(int calls, double everywhere, double here, double itself, double alone) {
    int count = 0;
    for (int call = 0; call < calls; ++call) {
      const bool is_here = pace.begin(now);
      if (!is_here) pace.ran_everywhere(itself, alone);
      count += is_here ? 1 : 0;
      const bool is_disturbed = call % 5 == 0;
      now += (is_here ? here : everywhere) + (is_disturbed ? 1e-2 : 0);
    }
    return count;
  }
  int calls_here(int calls, double everywhere, double here) {
    return calls_here(calls, everywhere, here, everywhere, here);
  }
};

}  // namespace

TEST_CASE("short calls run where they are faster, whatever disturbs some of them", "[cluster]") {
  CHECK(caller().calls_here(1000, 4e-4, 3e-4) > 900);
  CHECK(caller().calls_here(1000, 3e-4, 4e-4) < 50);
}

TEST_CASE("a loop moves to all ranks once they have become faster, and back", "[cluster]") {
  caller program;
  (void)program.calls_here(1000, 4e-4, 3e-4);
  (void)program.calls_here(2000, 3e-4, 4e-4);
  CHECK(program.calls_here(1000, 3e-4, 4e-4) < 100);
  (void)program.calls_here(5000, 4e-4, 3e-4);
  CHECK(program.calls_here(1000, 4e-4, 3e-4) > 900);
}

TEST_CASE("what other loops pay for elements that are elsewhere counts", "[cluster]") {
  CHECK(caller().calls_here(1000, 3e-2, 2e-2, /*itself=*/1e-3, /*alone=*/2e-3) > 900);
}

TEST_CASE("a loop whose calls take longer than their iterations would here leaves after two", "[cluster]") {
  CHECK(caller().calls_here(10, 5e-2, 2e-2, /*itself=*/3e-3, /*alone=*/1e-3) == 8);
  CHECK(caller().calls_here(10, 2e-1, 2e-2, /*itself=*/1e-1, /*alone=*/1e-2) == 8);  // on a busy machine
}

TEST_CASE("samples of a way that is much slower cost little", "[cluster]") {
  caller program;
  const int calls = 2000;
  const int elsewhere = calls - program.calls_here(calls, 1e-1, 1e-3);
  CHECK(elsewhere * 1e-1 < 0.1 * program.now);
}

TEST_CASE("long calls that all ranks run faster never run on the driver's rank alone", "[cluster]") {
  CHECK(caller().calls_here(1000, 6e-3, 1e-2) == 0);
}

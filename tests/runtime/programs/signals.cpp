// A main that handles signals: USR1 and USR2 are counted; after TERM, INT or HUP it runs a last loop over its
// container, and ends.
#include <csignal>

#include "tests/support/program.hpp"

static volatile std::sig_atomic_t told_to_end = 0;
static volatile std::sig_atomic_t counted = 0;

static long long sum_of(stradsap::dvector<long long>& x, int pass) {
  long long sum = 0;
  stradsap::parallel_for(
      static_cast<std::int64_t>(x.size()),
      test::loop<1, 0>(
          "signals.cpp:12",
          [](decltype(x)& x, int pass, long long& sum) {
            return [&x, pass, &sum](std::int64_t j) {
              x[j] = j * (pass % 2 + 1);
              sum += x[j];
            };
          },
          test::container < test::writes | test::aligned > (x), test::value<0>(pass), test::sum(sum)),
      stradsap::consistency::async);
  return sum;
}

int main() {
  stradsap::abi::enter_main();
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) std::signal(number, [](int) { told_to_end = 1; });
  for (const int number : {SIGUSR1, SIGUSR2}) std::signal(number, [](int) { counted = counted + 1; });
  stradsap::dvector<long long> x(1000);
  int seen = 0;
  for (int pass = 0; told_to_end == 0; ++pass) {
    (void)sum_of(x, pass);
    if (pass != 0 && seen == counted) continue;
    seen = counted;
    std::printf("counted %d\n", seen);
    std::fflush(stdout);
  }
  std::printf("saved %lld\n", sum_of(x, 0));
}

// A loop's plan has elements of X in its own order. Between its calls,
// another loop and the driver change X. Prints the resulting sums.
#include "tests/support/program.hpp"

using longs = stradsap::dvector<long>;

static void grow(longs& X) {
  stradsap::parallel_for(2000,
                         test::loop<1, 0>(
                             "refreshed.cpp:10", [](longs& X) { return [&X](long j) { X[j] += j; }; },
                             test::container < test::reads | test::writes | test::aligned, "X" > (X)),
                         stradsap::consistency::async);
}

static void scatter(longs& I, longs& X, longs& P) {
  stradsap::parallel_for(
      2000,
      test::loop<2, 0>(
          "refreshed.cpp:18",
          [](longs& I, longs& X, longs& P) { return [&I, &X, &P](long j) { P[I[j]] += X[j]; }; },
          test::container < test::reads | test::aligned | test::steers, "I" > (I),
          test::container < test::reads | test::aligned, "X" > (X),
          test::container < test::reads | test::writes, "P" > (P)),
      stradsap::consistency::async);
}

int main() {
  stradsap::abi::enter_main();
  longs I(2000), X(2000, 1), P(100);
  for (long j = 0; j < 2000; ++j) I[j] = j * 7 % 100;
  scatter(I, X, P);
  grow(X);
  scatter(I, X, P);
  X[3] = 1000;
  scatter(I, X, P);
  scatter(I, X, P);
  for (long i = 0; i < 100; ++i) std::printf("%ld ", P[i]);
}

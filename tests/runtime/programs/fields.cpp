// A loop writes some fields of elements, and another finds its places by some: argv[1] is the mask of those
// that are written, 2 or 1; the places depend on those of mask 1.
#include "tests/support/program.hpp"

template <std::uint64_t Written> static void write(stradsap::dvector<long>& D) {
  stradsap::parallel_for(
      2000,
      test::loop<Written, 0>(
          "fields.cpp:7", [](decltype(D)& D) { return [&D](long j) { D[j] += 0; }; },
          test::container < test::reads | test::writes | test::aligned, "D", Written > (D)),
      stradsap::consistency::async);
}

static void scatter(stradsap::dvector<long>& D, stradsap::dvector<long>& P) {
  stradsap::parallel_for(
      2000,
      test::loop<3, 0>(
          "fields.cpp:16",
          [](decltype(D)& D, decltype(P)& P) { return [&D, &P](long j) { P[D[1999 - j]] += 1; }; },
          test::container < test::reads | test::steers, "D", stradsap::abi::all_fields, 1 > (D),
          test::container < test::reads | test::writes, "P" > (P)),
      stradsap::consistency::async);
}

int main(int, char** argv) {
  stradsap::abi::enter_main();
  stradsap::dvector<long> D(2000), P(2000);
  for (long j = 0; j < 2000; ++j) D[j] = j * 7 % 2000;
  for (int pass = 0; pass < 3; ++pass) {
    argv[1][0] == '2' ? write<2>(D) : write<1>(D);
    scatter(D, P);
  }
}

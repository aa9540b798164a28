// Loops of which the time is known: some iterations wait, so processors and other work do not matter.
// Predictions for other shapes are compared with real runs. Prints on stderr how long a launch takes once
// there is a plan.
//
//   paced aligned|pairs|one|chain
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "tests/support/program.hpp"

constexpr int n = 4000;
constexpr int planned = 3;

static void wait_now_and_then(std::int64_t iteration) {
  if (iteration % 40 == 0) poll(nullptr, 0, 1);
}

/// The shortest of some launches that have a plan.
template <class Loop> static double seconds_of(const Loop& loop) {
  double least = 1e9;
  for (int pass = 0; pass < 1 + planned; ++pass) {
    const auto start = std::chrono::steady_clock::now();
    loop();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (pass > 0) least = std::min(least, seconds);
  }
  return least;
}

/// Each iteration changes an element of its own.
static double run_aligned(stradsap::dvector<double>& rows) {
  return seconds_of([&] {
    stradsap::parallel_for(n,
                           test::loop<1, 0>(
                               "paced.cpp:1",
                               [](stradsap::dvector<double>& rows) {
                                 return [&rows](std::int64_t j) {
                                   rows[static_cast<std::size_t>(j)] += 1;
                                   wait_now_and_then(j);
                                 };
                               },
                               test::container < test::reads | test::writes | test::aligned > (rows)),
                           stradsap::consistency::async);
  });
}

/// Each iteration changes two of `size` elements.
static double run_pairs(stradsap::dvector<double>& P, stradsap::dvector<double>& Q, std::uint64_t size) {
  return seconds_of([&] {
    stradsap::parallel_for(
        n,
        test::loop<2, 0>(
            "paced.cpp:2",
            [](stradsap::dvector<double>& P, stradsap::dvector<double>& Q, std::uint64_t& size) {
              return [&P, &Q, &size](std::int64_t j) {
                double& p = P[test::draw(1, static_cast<std::uint64_t>(j), size)];
                double& q = Q[test::draw(2, static_cast<std::uint64_t>(j), size)];
                p = p * 0.5 + q;
                q = q * 0.25 + static_cast<double>(j);
                wait_now_and_then(j);
              };
            },
            test::container < test::reads | test::writes > (P),
            test::container < test::reads | test::writes > (Q), test::value<test::steers>(size)),
        stradsap::consistency::async);
  });
}

/// Each iteration changes an element, by the one before it.
static double run_chain(stradsap::dvector<double>& P) {
  constexpr int length = 800;
  return seconds_of([&] {
    stradsap::parallel_for(length,
                           test::loop<3, 0>(
                               "paced.cpp:3",
                               [](stradsap::dvector<double>& P) {
                                 return [&P](std::int64_t j) {
                                   P[static_cast<std::size_t>(j) + 1] += 0.5 * P[static_cast<std::size_t>(j)];
                                   if (j % 8 == 0) poll(nullptr, 0, 1);
                                 };
                               },
                               test::container < test::reads | test::writes > (P)),
                           stradsap::consistency::async);
  });
}

int main(int, char** argv) {
  stradsap::abi::enter_main();
  const std::string kind = argv[1];
  const std::uint64_t size = kind == "aligned" ? n : kind == "one" ? 1 : 1000;
  stradsap::dvector<double> P(size, 1.0), Q(size, 1.0);
  const double seconds = kind == "aligned" ? run_aligned(P)
                         : kind == "chain" ? run_chain(P)
                                           : run_pairs(P, Q, size);
  std::fprintf(stderr, "seconds=%.6f\n", seconds);
  double sum = 0;
  for (const double p : std::as_const(P)) sum += p;
  std::printf("sum=%a\n", sum);
}

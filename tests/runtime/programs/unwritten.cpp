// Containers that nobody has written before a loop, or only the program, or another loop: compared with a
// plain program. With the argument `once` only one loop runs, over elements that were never written.
#include <cstring>
#include <vector>

#include "tests/support/program.hpp"

namespace {

constexpr std::int64_t n = 100000;
using longs = stradsap::dvector<long>;

/// Adds j + 1 to each element.
void add(longs& to) {
  stradsap::parallel_for(
      n,
      test::loop<1, 0>(
          "unwritten.cpp:1", [](longs& x) { return [&x](std::int64_t j) { x[j] += j + 1; }; },
          test::container < test::reads | test::writes | test::aligned > (to)),
      stradsap::consistency::async);
}

long sum_of(longs& from) {
  long sum = 0;
  stradsap::parallel_for(n,
                         test::loop<2, 0>(
                             "unwritten.cpp:2",
                             [](longs& x, long& sum) {
                               return [&x, &sum](std::int64_t j) { sum += std::as_const(x)[n - 1 - j]; };
                             },
                             test::container<test::reads>(from), test::sum(sum)),
                         stradsap::consistency::async);
  return sum;
}

int wrong = 0;
void expect(longs& found, long times, long more) {
  if (sum_of(found) != times * n * (n + 1) / 2 + more) ++wrong;
  for (std::int64_t j = 0; j < n; ++j) wrong += std::as_const(found)[j] - times * (j + 1) == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  stradsap::abi::enter_main();
  longs fresh(n);
  add(fresh);
  if (argc > 1 && std::strcmp(argv[1], "once") == 0) return 0;
  expect(fresh, 1, 0);
  add(fresh);
  expect(fresh, 2, 0);

  longs read_first(n);
  if (sum_of(read_first) != 0) ++wrong;
  add(read_first);
  expect(read_first, 1, 0);

  longs looked_at(n);
  if (std::as_const(looked_at)[n / 2] != 0) ++wrong;
  add(looked_at);
  expect(looked_at, 1, 0);

  longs written(n);
  written[n - 1] = 5;
  if (sum_of(written) != 5) ++wrong;
  add(written);
  written[n - 1] -= 5;
  expect(written, 1, 0);

  longs grown(n / 2);
  if (std::as_const(grown).size() != n / 2) ++wrong;
  grown.resize(n);
  add(grown);
  expect(grown, 1, 0);

  longs moved = std::move(grown);
  grown = longs(n);
  add(grown);
  expect(grown, 1, 0);
  expect(moved, 1, 0);
  std::printf("wrong=%d\n", wrong);
}

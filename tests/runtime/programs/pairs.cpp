// Two subscripts into one container: blocks that hold two groups of it. Swaps and integer sums, so that any
// serial order of disjoint pairs keeps the total, and the hash shows the order that was taken.
#include "tests/support/program.hpp"

int main() {
  stradsap::abi::enter_main();
  constexpr long n = 30000;
  constexpr std::uint64_t size = 500;
  stradsap::dvector<long> x(size);
  for (std::uint64_t i = 0; i < size; ++i) x[i] = static_cast<long>(i);
  long moved = 0;
  for (int pass = 0; pass < 3; ++pass) {
    stradsap::parallel_for(n,
                           test::loop<1, 0>(
                               "pairs.cpp:1",
                               [](decltype(x)& x, long& moved) {
                                 return [&x, &moved](long j) {
                                   long& a = x[test::draw(1, static_cast<std::uint64_t>(j), 500)];
                                   long& b = x[test::draw(2, static_cast<std::uint64_t>(j), 500)];
                                   const long part = a / 3;
                                   a -= part;
                                   b += part;
                                   moved += part;
                                 };
                               },
                               test::container < test::reads | test::writes > (x), test::sum(moved)),
                           stradsap::consistency::async);
  }
  long total = 0;
  std::uint64_t hash = 0;
  for (const long v : std::as_const(x)) {
    total += v;
    hash = hash * 31 + static_cast<std::uint64_t>(v);
  }
  std::printf("total=%ld expected=%ld moved=%ld hash=%016llx\n", total,
              static_cast<long>(size * (size - 1) / 2), moved, static_cast<unsigned long long>(hash));
}

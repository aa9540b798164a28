// Elements go from rank to rank in loops without an end. Prints a line after each tenth pass, so that a
// test ends it in the middle of a loop.
#include <cstdio>

#include "tests/support/program.hpp"

int main() {
  stradsap::abi::enter_main();
  constexpr std::int64_t n = 4000;
  constexpr std::uint64_t size = 500;
  stradsap::dvector<float> x(size, 1.0f);
  for (int pass = 1;; ++pass) {
    stradsap::parallel_for(n,
                           test::loop<1, 0>(
                               "endless.cpp:1",
                               [](decltype(x)& x) {
                                 return [&x](std::int64_t j) {
                                   const auto i = static_cast<std::uint64_t>(j);
                                   x[test::draw(0, i, size)] = 0.5f * x[test::draw(1, i, size)] + 0.25f;
                                 };
                               },
                               test::container < test::reads | test::writes > (x)),
                           stradsap::consistency::async);
    if (pass % 10 != 0) continue;
    std::printf("pass %d\n", pass);
    std::fflush(stdout);
  }
}

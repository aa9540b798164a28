// Reductions that share memory with another capture: argv[1] chooses the capture.
// Prints the caught error, and the results of loops that capture each variable once.
#include <string>

#include "tests/support/program.hpp"

static void add(std::int64_t& a, std::int64_t& b, std::int64_t n) {
  stradsap::parallel_for(n,
                         test::loop<1, 0>(
                             "second_names.cpp:10",
                             [](std::int64_t& a, std::int64_t& b) {
                               return [&a, &b](int j) {
                                 a += j;
                                 b += 1;
                               };
                             },
                             test::sum<"a">(a), test::sum<"b">(b)),
                         stradsap::consistency::async);
}

static void add_all(std::int64_t& a, stradsap::dvector<std::int64_t>& x) {
  stradsap::parallel_for(
      static_cast<std::int64_t>(x.size()),
      test::loop<2, 0>(
          "second_names.cpp:23",
          [](std::int64_t& a, stradsap::dvector<std::int64_t>& x) {
            return [&a, &x](int j) {
              a += x[j];
              x[j] += 1;
            };
          },
          test::sum<"a">(a), test::container < test::reads | test::writes | test::aligned, "x" > (x)),
      stradsap::consistency::async);
}

int main(int, char** argv) {
  stradsap::abi::enter_main();
  const std::string kind = argv[1];
  std::int64_t sums[2] = {};
  stradsap::dvector<std::int64_t> x(2000);
  try {
    if (kind == "variable") add(sums[0], sums[0], 2000);
    if (kind == "element") add_all(x[7], x);
  } catch (const stradsap::error& e) {
    std::printf("%s\n", e.what());
  }
  add(sums[0], sums[1], 2000);
  add_all(sums[1], x);
  std::printf("%lld %lld\n", static_cast<long long>(sums[0]), static_cast<long long>(sums[1]));
}

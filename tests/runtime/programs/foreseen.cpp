// A loop in which every iteration touches the same number of slots of a map, so that views know them: asked
// for again, in another order, under conditions, and some keys never inserted. Compared with a plain program.
#include <map>
#include <utility>

#include "tests/support/program.hpp"

int main() {
  stradsap::abi::enter_main();
  const std::int64_t n = 20000;
  stradsap::dmap<std::int64_t, std::int64_t> sums;
  std::map<std::int64_t, std::int64_t> expected;
  std::int64_t misses = 0, expected_misses = 0;
  for (int pass = 0; pass < 3; ++pass) {
    stradsap::parallel_for(n,
                           test::loop<1, 0>(
                               "foreseen.cpp:1",
                               [](decltype(sums)& sums, decltype(misses)& misses) {
                                 return [&sums, &misses](std::int64_t j) {
                                   const std::int64_t left = j % 97, right = 1000000 + j * 7 % 89;
                                   if (!std::as_const(sums).contains(-5 - j % 3)) ++misses;
                                   sums[left] += j;
                                   sums[right] += 1;
                                   if (j % 2 == 0) sums[left] += sums.at(left) - sums[left];
                                   if (const auto found = sums.find(right); found != sums.end())
                                     found->second += 2;
                                   sums[left] += 3;
                                 };
                               },
                               test::container < test::reads | test::writes > (sums), test::sum(misses)),
                           stradsap::consistency::async);
    for (std::int64_t j = 0; j < n; ++j) {
      ++expected_misses;
      expected[j % 97] += j + 3;
      expected[1000000 + j * 7 % 89] += 3;
    }
    sums[1000000 + pass] += 5;  // there already
    expected[1000000 + pass] += 5;
    sums[2000000 + pass] += 7;  // new
    expected[2000000 + pass] += 7;
    sums.erase(pass);
    expected.erase(pass);
  }
  long wrong = misses != expected_misses;
  for (const auto& [key, sum] : expected) {
    if (!std::as_const(sums).contains(key) || std::as_const(sums).at(key) != sum) ++wrong;
  }
  std::printf("wrong=%ld size=%s\n", wrong, sums.size() == expected.size() ? "same" : "DIFFERENT");
}

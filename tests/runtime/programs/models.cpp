// One loop under two models: a plan for one model is not used for
// the other. The ordered calls end as the plain program does.
#include <utility>
#include <vector>

#include "tests/support/program.hpp"

constexpr std::int64_t n = 30000;
constexpr std::uint64_t size = 500;

template <class Values> static void step(std::int64_t j, Values& x, long& moved) {
  long& a = x[test::draw(1, static_cast<std::uint64_t>(j), size)];
  long& b = x[test::draw(2, static_cast<std::uint64_t>(j), size)];
  const long part = a / 3 + j % 5;
  a -= part;
  b += part;
  moved += part;
}

int main() {
  stradsap::abi::enter_main();
  stradsap::dvector<long> x(size, 1000);
  std::size_t wrong = 0;
  for (int pass = 0; pass < 4; ++pass) {
    std::vector<long> twin(std::as_const(x).begin(), std::as_const(x).end());
    long moved = 0;
    long twin_moved = 0;
    for (std::int64_t j = 0; j < n; ++j) step(j, twin, twin_moved);
    const bool is_ordered = pass % 2 == 1;
    stradsap::parallel_for(
        n,
        test::loop<1, stradsap::abi::has_slice>(
            "models.cpp:33",
            [](decltype(x)& x, long& moved) { return [&x, &moved](std::int64_t j) { step(j, x, moved); }; },
            test::container < test::reads | test::writes > (x), test::sum(moved)),
        is_ordered ? stradsap::consistency::ordered : stradsap::consistency::async);
    if (!is_ordered) continue;
    wrong += moved != twin_moved ? 1 : 0;
    for (std::uint64_t i = 0; i < size; ++i) wrong += std::as_const(x)[i] != twin[i] ? 1 : 0;
  }
  std::printf("wrong=%zu\n", wrong);
}

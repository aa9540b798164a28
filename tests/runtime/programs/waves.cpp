// Iterations that touch six large elements each, a key and their own number's element. They
// are planned one by one, since blocks of groups would hold nearly all of them. Compared
// with the same loop over plain containers. argv[1]: the model; argv[2]: the fault.
#include <array>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/program.hpp"

using row = std::array<double, 512>;

constexpr std::int64_t n = 3000;
constexpr std::uint64_t size = 3000;

static std::uint64_t place(std::int64_t j, std::uint64_t k) {
  return test::draw(k, static_cast<std::uint64_t>(j), size);
}

/// Iteration j; its inputs are spread over the elements that it touches.
template <class Rows, class Keys, class Own>
static void step(std::int64_t j, Rows& rows, Keys& keys, Own& own, long& sum) {
  double seen = 0.5;
  for (std::uint64_t k = 0; k < 6; ++k) {
    row& r = rows[place(j, k)];
    seen = seen * 0.75 + r[k];
    r[(k + 1) % 6] += seen * 0.125;
    r[511 - k] = seen;
    r[500] += 1;
  }
  keys[static_cast<int>(j * j % 997)] += seen;
  own[j] += seen;
  sum += static_cast<long>(seen * 1000) % 10;
}

int main(int argc, char** argv) {
  stradsap::abi::enter_main();
  const auto model =
      std::strcmp(argv[1], "ordered") == 0 ? stradsap::consistency::ordered : stradsap::consistency::async;
  const std::string fault = argc > 2 ? argv[2] : "none";
  stradsap::dvector<row> rows(size);
  stradsap::dmap<int, double> keys;
  stradsap::dvector<double> own(n);
  long sum = 0;
  std::vector<row> twin_rows(size);
  std::map<int, double> twin_keys;
  std::vector<double> twin_own(n);
  long twin_sum = 0;
  for (int pass = 0; pass < 4; ++pass) {
    try {
      stradsap::parallel_for(n,
                             test::loop<1, stradsap::abi::has_slice>(
                                 "waves.cpp:55",
                                 [](decltype(rows)& rows, decltype(keys)& keys, decltype(own)& own, long& sum,
                                    const std::string& fault) {
                                   return [&rows, &keys, &own, &sum, fault](std::int64_t j) {
                                     step(j, rows, keys, own, sum);
                                     if (fault == "throws" && j % 1000 == 700)
                                       throw std::runtime_error("bad value");
                                     if (fault == "stray" && j > 500 && rows[place(j, 0)][500] > 6)
                                       rows[(place(j, 0) + 1) % size][0] = 1;
                                   };
                                 },
                                 test::container < test::reads | test::writes, "rows" > (rows),
                                 test::container < test::reads | test::writes > (keys),
                                 test::container < test::reads | test::writes | test::aligned > (own),
                                 test::sum(sum), test::value<0>(fault)),
                             model);
    } catch (const stradsap::loop_error& e) {
      std::printf("iteration %lld\n", static_cast<long long>(e.iteration()));
      const auto ran = [&own](std::int64_t j) {
        return std::as_const(own)[static_cast<std::uint64_t>(j)] != 0;
      };
      std::int64_t before = 0, after = 0;
      for (std::int64_t j = 0; j < n; ++j) (j < e.iteration() ? before : after) += ran(j) ? 1 : 0;
      std::fprintf(stderr, "%s\nbefore=%lld after=%lld\n", e.what(), static_cast<long long>(before),
                   static_cast<long long>(after));
      break;
    }
    for (std::int64_t j = 0; j < n; ++j) step(j, twin_rows, twin_keys, twin_own, twin_sum);
    rows[static_cast<std::uint64_t>(pass)][0] += 3;  // the driver takes elements away from their owners
    twin_rows[static_cast<std::uint64_t>(pass)][0] += 3;
  }
  std::size_t wrong = sum == twin_sum ? 0 : 1;
  for (std::uint64_t i = 0; i < size; ++i) wrong += std::as_const(rows)[i] != twin_rows[i] ? 1 : 0;
  for (const auto& [key, value] : twin_keys) wrong += std::as_const(keys).at(key) != value ? 1 : 0;
  for (std::uint64_t j = 0; j < n; ++j) wrong += std::as_const(own)[j] != twin_own[j] ? 1 : 0;
  std::printf("wrong=%zu sum=%ld\n", fault == "none" ? wrong : 0, fault == "none" ? sum : 0);
}

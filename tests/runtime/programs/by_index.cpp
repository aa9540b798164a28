// Blocks that share no group: each iteration adds into one scattered element, as others do. Calls run by
// blocks or in the order of the index, as times say, and the results are those of program order. argv[1]:
// sums, order, throws.
#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/program.hpp"

constexpr unsigned scattered = test::reads | test::writes;
constexpr unsigned adds = test::reads | test::writes | stradsap::abi::accumulates;

constexpr std::int64_t n = 60000;
constexpr std::uint64_t elements = 20000;

static std::vector<std::uint64_t> some_places() {
  std::vector<std::uint64_t> places;
  for (std::int64_t j = 0; j < n; ++j)
    places.push_back(test::draw(static_cast<std::uint64_t>(j), 1, elements));
  return places;
}

/// Fractions, so another order of an element's additions shows.
static double addend(std::int64_t j) { return 1.0 / static_cast<double>(j + 3); }

/// Once as an element that is read and written, and once as a large one that is only added into.
template <int Number, unsigned Mode>
static void add(stradsap::dvector<double>& to, const std::vector<std::uint64_t>& places, long& count,
                const char* site) {
  stradsap::parallel_for(n,
                         test::loop<Number, 0>(
                             site,
                             [](decltype(to)& to, const std::vector<std::uint64_t>& places, long& count) {
                               return [&to, &places, &count](std::int64_t j) {
                                 to[places[static_cast<std::size_t>(j)]] += addend(j);
                                 ++count;
                               };
                             },
                             test::container<Mode>(to), test::value<test::steers>(places), test::sum(count)),
                         stradsap::consistency::async);
}

static void run_sums() {
  const std::vector<std::uint64_t> places = some_places();
  stradsap::dvector<double> some(elements), others(elements);
  std::vector<double> plain(elements);
  long count = 0;
  for (int pass = 0; pass < 12; ++pass) {
    add<1, scattered>(some, places, count, "by_index.cpp:1");
    add<2, adds>(others, places, count, "by_index.cpp:2");
    for (std::int64_t j = 0; j < n; ++j) plain[places[static_cast<std::size_t>(j)]] += addend(j);
  }
  long wrong = count == 24 * n ? 0 : 1;
  for (std::size_t i = 0; i < elements; ++i) wrong += some[i] == plain[i] && others[i] == plain[i] ? 0 : 1;
  std::printf("wrong=%ld\n", wrong);
}

static std::atomic<std::int64_t> last_index = -1;
static std::atomic<long> steps_back = 0;

/// Prints for each of the first two calls whether iterations ran in the order of their index.
static void run_order() {
  const std::vector<std::uint64_t> places = some_places();
  stradsap::dvector<double> to(elements);
  for (int pass = 0; pass < 2; ++pass) {
    last_index = -1;
    steps_back = 0;
    stradsap::parallel_for(
        n,
        test::loop<3, 0>("by_index.cpp:3",
                         stradsap::abi::stradsap_sliced(
                             [](decltype(to)& to, const std::vector<std::uint64_t>& places) {
                               return [&to, &places](std::int64_t j) {
                                 to[places[static_cast<std::size_t>(j)]] += 1;
                                 if (last_index.exchange(j) > j) ++steps_back;
                               };
                             },
                             [](decltype(to)& to, const std::vector<std::uint64_t>& places) {
                               return [&to, &places](std::int64_t j) {
                                 (void)to[places[static_cast<std::size_t>(j)]];
                               };
                             }),
                         test::container<scattered>(to), test::value<test::steers>(places)),
        stradsap::consistency::async);
    std::printf("in order=%d\n", steps_back == 0 ? 1 : 0);
  }
}

/// Bodies throw in two iterations of different blocks, in each call.
static void run_throws() {
  const std::vector<std::uint64_t> places = some_places();
  stradsap::dvector<double> to(elements);
  for (int pass = 0; pass < 8; ++pass) {
    const std::int64_t first = pass % 2 == 0 ? n : 1000 * pass;  // each other call ends
    const std::int64_t second = pass % 2 == 0 ? n : 50000;
    try {
      stradsap::parallel_for(
          n,
          test::loop<4, 0>("by_index.cpp:4",
                           stradsap::abi::stradsap_sliced(
                               [](decltype(to)& to, const std::vector<std::uint64_t>& places,
                                  const std::int64_t& first, const std::int64_t& second) {
                                 return [&to, &places, &first, &second](std::int64_t j) {
                                   if (j == first || j == second || (first < n && j > 59000))
                                     throw std::runtime_error("bad iteration");
                                   to[places[static_cast<std::size_t>(j)]] += 1;
                                 };
                               },
                               [](decltype(to)& to, const std::vector<std::uint64_t>& places,
                                  const std::int64_t&, const std::int64_t&) {
                                 return [&to, &places](std::int64_t j) {
                                   (void)to[places[static_cast<std::size_t>(j)]];
                                 };
                               }),
                           test::container<scattered>(to), test::value<test::steers>(places),
                           test::value<0>(first), test::value<0>(second)),
          stradsap::consistency::async);
      std::printf("ended\n");
    } catch (const stradsap::loop_error& e) {
      std::printf("iteration %lld\n", static_cast<long long>(e.iteration()));
    }
  }
}

int main(int, char** argv) {
  stradsap::abi::enter_main();
  const std::string kind = argv[1];
  if (kind == "sums") run_sums();
  if (kind == "order") run_order();
  if (kind == "throws") run_throws();
}

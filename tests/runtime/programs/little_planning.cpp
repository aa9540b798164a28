// Loops for which a plan would cost more than it saves. The runs of inspectors, and new memory, go to
// standard error.
//   fills N: N calls of a loop of short iterations that fills a map; many: with too many iterations
//   grid: a short loop of long iterations over elements that the inspector reads; rows: one over rows
//   adds: a long loop that only adds whole numbers, at computed places
#include <sys/resource.h>

#include <atomic>
#include <cstdlib>
#include <string>

#include "tests/support/program.hpp"

static std::atomic<long> inspected = 0;

/// The most memory so far, in KiB.
static long memory() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return used.ru_maxrss;
}

static void fill(std::int64_t n, std::int64_t keys, int calls) {
  constexpr unsigned named = test::reads | test::writes | stradsap::abi::listed;
  constexpr unsigned flags = stradsap::abi::has_slice | stradsap::abi::fills_maps;
  stradsap::dmap<std::int64_t, double> last;
  for (int call = 0; call < calls; ++call) {
    stradsap::parallel_for(
        n,
        test::loop<1, flags>("fills",
                             stradsap::abi::stradsap_sliced(
                                 [](decltype(last)& last, std::int64_t keys) {
                                   return [&last, keys](std::uint64_t j) {
                                     for (std::int64_t k = 0; k < keys; ++k) {
                                       double& x = last[static_cast<std::int64_t>(test::draw(j, k, 5000))];
                                       x = x / 3 + static_cast<double>(j);
                                     }
                                   };
                                 },
                                 [](decltype(last)& last, std::int64_t keys) {
                                   return [&last, keys](std::uint64_t j) {
                                     ++inspected;
                                     for (std::int64_t k = 0; k < keys; ++k)
                                       (void)last[static_cast<std::int64_t>(test::draw(j, k, 5000))];
                                   };
                                 }),
                             test::container<named>(last), test::value<test::steers>(keys)),
        stradsap::consistency::async);
  }
  std::uint64_t bits = 0;
  for (const auto& [key, x] : last)
    bits = (bits + static_cast<std::uint64_t>(key)) * 31 + static_cast<std::uint64_t>(x);
  std::printf("keys=%zu bits=%016llx\n", last.size(), static_cast<unsigned long long>(bits));
}

constexpr std::int64_t height = 400;
constexpr std::int64_t width = 700;

/// The places of a row, but for those that are left out: `x >= 0` of a written container decides.
static void label_grid() {
  constexpr unsigned written = test::reads | test::writes | test::steers;
  stradsap::dvector<int> from(height * width);
  stradsap::dvector<int> to(height * width);
  for (std::int64_t i = 0; i < height * width; ++i) from[i] = static_cast<int>(test::draw(i, 0, 1000)) - 500;
  for (int call = 0; call < 3; ++call) {
    stradsap::parallel_for(
        height,
        test::loop<2, stradsap::abi::has_slice>(
            "grid",
            stradsap::abi::stradsap_sliced(
                [](decltype(from)& from, decltype(from)& to) {
                  return [&from, &to](std::uint64_t y) {
                    for (std::uint64_t i = y * width; i < (y + 1) * width; ++i) {
                      int x = from[i];
                      if (x >= 0) x = std::max(from[i / width * width], from[i % width]);
                      to[i] = x;
                    }
                  };
                },
                [](decltype(from)& from, decltype(from)& to) {
                  return [&from, &to](std::uint64_t y) {
                    ++inspected;
                    for (std::uint64_t i = y * width; i < (y + 1) * width; ++i) {
                      if (from[i] >= 0) (void)from[i / width * width], (void)from[i % width];
                      (void)to[i];
                    }
                  };
                }),
            test::container<written>(from), test::container < test::writes | stradsap::abi::listed > (to)),
        stradsap::consistency::async);
  }
  std::uint64_t bits = 0;
  for (const int x : to) bits = bits * 31 + static_cast<std::uint64_t>(x);
  std::printf("bits=%016llx\n", static_cast<unsigned long long>(bits));
}

static void scale_rows() {
  stradsap::dvector<int> x(height * width);
  for (std::int64_t i = 0; i < height * width; ++i) x[i] = static_cast<int>(i);
  stradsap::parallel_for(height,
                         test::loop<3, stradsap::abi::has_slice>(
                             "rows",
                             stradsap::abi::stradsap_sliced(
                                 [](decltype(x)& x) {
                                   return [&x](std::uint64_t y) {
                                     for (std::uint64_t i = y * width; i < (y + 1) * width; ++i)
                                       x[i] *= static_cast<int>(y);
                                   };
                                 },
                                 [](decltype(x)& x) {
                                   return [&x](std::uint64_t y) {
                                     ++inspected;
                                     for (std::uint64_t i = y * width; i < (y + 1) * width; ++i) (void)x[i];
                                   };
                                 }),
                             test::container < test::reads | test::writes | stradsap::abi::listed > (x)),
                         stradsap::consistency::async);
  std::uint64_t bits = 0;
  for (const int one : x) bits = bits * 31 + static_cast<std::uint64_t>(one);
  std::printf("bits=%016llx\n", static_cast<unsigned long long>(bits));
}

static void add() {
  constexpr std::size_t size = 1 << 15;
  stradsap::dvector<long> counts(size);
  for (std::size_t i = 0; i < size; ++i) counts[i] = static_cast<long>(i);
  const long before = memory();
  stradsap::parallel_for(
      1 << 20,
      test::loop<4, 0>(
          "adds",
          [](decltype(counts)& counts) {
            return
                [&counts](std::uint64_t j) { counts[j * 0x9e3779b97f4a7c15u >> 49] += static_cast<long>(j); };
          },
          test::container < test::reads | test::writes | stradsap::abi::accumulates > (counts)),
      stradsap::consistency::async);
  std::fprintf(stderr, "grown=%ld\n", memory() - before);
  long wrong = 0;
  std::vector<long> expected(size);
  for (std::size_t i = 0; i < size; ++i) expected[i] = static_cast<long>(i);
  for (std::uint64_t j = 0; j < 1 << 20; ++j) expected[j * 0x9e3779b97f4a7c15u >> 49] += static_cast<long>(j);
  for (std::size_t i = 0; i < size; ++i) wrong += std::as_const(counts)[i] == expected[i] ? 0 : 1;
  std::printf("wrong=%ld\n", wrong);
}

int main(int argc, char** argv) {
  stradsap::abi::enter_main();
  const std::string kind = argc > 1 ? argv[1] : "";
  const int calls = argc > 2 ? std::atoi(argv[2]) : 1;
  if (kind == "fills") fill(20000, 2, calls);
  if (kind == "many") fill(2100000, 1, calls);
  if (kind == "grid") label_grid();
  if (kind == "rows") scale_rows();
  if (kind == "adds") add();
  std::fprintf(stderr, "inspected=%ld\n", inspected.load());
}

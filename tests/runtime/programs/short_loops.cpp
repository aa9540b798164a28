// The first calls of short loops over a large container. Page faults tell how much memory planning touches;
// they go to standard error.
#include <sys/resource.h>

#include "tests/support/program.hpp"

constexpr std::size_t size = 1 << 20;
constexpr std::int64_t n = 500;
constexpr std::int64_t planned = 1100;  // iterations, enough for a plan by blocks

static long faults() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return used.ru_minflt;
}

template <int Number> static void scale(stradsap::dvector<float>& x, std::int64_t count, const char* site) {
  stradsap::parallel_for(count,
                         test::loop<Number, 1>(
                             site,
                             [](decltype(x)& x) {
                               return [&x](std::uint64_t j) {
                                 x[test::draw(j, 0, size)] *= static_cast<float>(j);
                               };
                             },
                             test::container < test::reads | test::writes > (x)),
                         stradsap::consistency::async);
}

int main() {
  stradsap::abi::enter_main();
  stradsap::dvector<float> x(size);
  stradsap::dvector<float> y(size);
  for (std::size_t i = 0; i < size; ++i) x[i] = y[i] = static_cast<float>(i % 97);

  const long start = faults();
  scale<1>(x, planned, "short_loops.cpp:1");
  const long of_blocks = faults() - start;
  stradsap::parallel_for(n,
                         test::loop<2, 1>(
                             "short_loops.cpp:2",
                             [](decltype(y)& y) {
                               return [&y](std::uint64_t j) {
                                 float sum = static_cast<float>(j);
                                 for (std::uint64_t k = 0; k < 6; ++k) sum += y[test::draw(j, k, size)];
                                 for (std::uint64_t k = 0; k < 6; ++k) y[test::draw(j, k, size)] += sum;
                               };
                             },
                             test::container < test::reads | test::writes > (y)),
                         stradsap::consistency::async);
  const long of_waves = faults() - start - of_blocks;
  scale<3>(x, n, "short_loops.cpp:3");
  const long of_short = faults() - start - of_blocks - of_waves;

  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < size; ++i) hash = hash * 31 + static_cast<std::uint64_t>(x[i] + 2 * y[i]);
  std::printf("hash=%016llx\n", static_cast<unsigned long long>(hash));
  std::fprintf(stderr, "faults=%ld,%ld,%ld\n", of_blocks, of_waves, of_short);
}

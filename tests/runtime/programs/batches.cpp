// Synchronous loops: shards start from the batch's start state and their differences are
// added. The same is computed here by hand for integers, and new keys appear in the middle.
#include <map>
#include <vector>

#include "tests/support/program.hpp"

constexpr long n = 4000;
constexpr long batch = 512;
constexpr long shards = 16;
constexpr std::uint64_t size = 64;

static std::uint64_t place(long j) { return test::draw(9, static_cast<std::uint64_t>(j), size); }

/// The rules of sync, step by step.
static std::vector<long> by_hand() {
  std::vector<long> x(size, 1);
  for (long begin = 0; begin < n; begin += batch) {
    const long end = std::min(n, begin + batch);
    const std::vector<long> start = x;
    for (long s = 0; s < shards; ++s) {
      std::vector<long> mine = start;
      for (long j = begin + (end - begin) * s / shards; j < begin + (end - begin) * (s + 1) / shards; ++j) {
        mine[place(j)] += mine[(place(j) + 1) % size] % 7 + 1;
      }
      for (std::uint64_t i = 0; i < size; ++i) x[i] += mine[i] - start[i];
    }
  }
  return x;
}

int main() {
  stradsap::abi::enter_main();
  stradsap::dvector<long> x(size, 1);
  stradsap::dmap<long, double> seen;
  double sum = 0;
  stradsap::sync_for(n, batch,
                     test::loop<1, 0>(
                         "batches.cpp:1",
                         [](decltype(x)& x, decltype(seen)& seen, double& sum) {
                           return [&x, &seen, &sum](long j) {
                             const std::uint64_t at = place(j);
                             x[at] += x[(at + 1) % size] % 7 + 1;
                             seen[j % 97] += 0.1 * static_cast<double>(j % 3);
                             sum += 0.1;
                           };
                         },
                         test::container < test::reads | test::writes > (x),
                         test::container < test::reads | test::writes > (seen), test::sum(sum)));
  const std::vector<long> expected = by_hand();
  long wrong = 0;
  for (std::uint64_t i = 0; i < size; ++i) wrong += std::as_const(x)[i] != expected[i] ? 1 : 0;
  std::printf("wrong=%ld sum=%a keys=%zu\n", wrong, sum, seen.size());
  for (const auto& [key, value] : std::as_const(seen)) std::printf("%ld %a\n", key, value);
}

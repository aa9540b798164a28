// Loops that run as transactions, as stradsap-cc would emit them: argv[1] chooses. Prints hashes of all bits.
#include <array>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/program.hpp"

using stradsap::dmap;
using stradsap::dvector;
using stradsap::abi::accumulates;
using stradsap::abi::transactional;

static constexpr unsigned owned = test::reads | test::writes | test::steers;

static std::uint64_t hash_of(const dvector<int>& x) {
  const std::vector<int> all(x.begin(), x.end());
  return stradsap::abi::hash_bytes(all.data(), all.size() * sizeof(int));
}

/// Union-find by path halving over n random edges. One iteration may throw, one leave the container.
static void sets(int n, int thrower, int strayer) {
  dvector<int> parent(n / 2);
  dvector<std::pair<int, int>> edges(n);
  for (int v = 0; v < n / 2; ++v) parent[v] = v;
  for (int j = 0; j < n; ++j) {
    const auto a = static_cast<std::uint64_t>(j);
    const auto below = static_cast<std::uint64_t>(n / 2);
    edges[j] = {static_cast<int>(test::draw(1, a, below)), static_cast<int>(test::draw(2, a, below))};
  }
  double sum = 0;
  const auto body = test::loop<11, transactional>(
      "transactions.cpp:40",
      [](decltype(parent)& parent, decltype(edges)& edges, int& thrower, int& strayer, double& sum) {
        return [&parent, &edges, thrower, strayer, &sum](int j) {
          const auto find = [&parent](int v) {
            while (parent[v] != v) {
              parent[v] = parent[parent[v]];
              v = parent[v];
            }
            return v;
          };
          const int a = find(edges[j].first), b = find(edges[j].second);
          sum += 1.0 / (a + b + 1);
          if (a != b) parent[std::max(a, b)] = std::min(a, b);
          if (j == thrower) throw std::runtime_error("edge " + std::to_string(j));
          if (j == strayer) parent[parent[0] - 7] = 1;
        };
      },
      test::container<owned, "parent">(parent), test::container < test::reads | test::aligned > (edges),
      test::value<0>(thrower), test::value<0>(strayer), test::sum(sum));
  try {
    stradsap::parallel_for(n, body, stradsap::consistency::async);
  } catch (const stradsap::loop_error& e) {
    std::printf("iteration %lld at %s\n", static_cast<long long>(e.iteration()), e.location().c_str());
  }
  std::printf("sets=%016llx sum=%a\n", static_cast<unsigned long long>(hash_of(parent)), sum);
}

/// Each iteration waits for the one before it: element 0 is read and written by all.
static void chain() {
  dvector<int> x(100);
  stradsap::parallel_for(3000,
                         test::loop<12, transactional>(
                             "transactions.cpp:66",
                             [](decltype(x)& x) {
                               return [&x](int j) {
                                 x[0] = (x[0] * 5 + j) % 99;
                                 x[1 + x[0]] += 1;
                               };
                             },
                             test::container<owned, "x">(x)),
                         stradsap::consistency::async);
  int total = 0;
  for (int i = 1; i < 100; ++i) total += std::as_const(x)[i];
  std::printf("chain=%d last=%d\n", total, std::as_const(x)[0]);
}

/// Keys that come up as the loop runs, and sums of fractions beside them.
static void keys() {
  dmap<int, int> first;
  dvector<double> sums(8);
  const int n = 6000;
  stradsap::parallel_for(n,
                         test::loop<13, transactional>(
                             "transactions.cpp:88",
                             [](decltype(first)& first, decltype(sums)& sums) {
                               return [&first, &sums](int j) {
                                 const int key =
                                     static_cast<int>(test::draw(3, static_cast<std::uint64_t>(j), 700));
                                 int& mine = first[key];
                                 if (mine == 0) mine = j + 1;
                                 if (first.contains(mine % 700)) first[mine % 700] += 700;
                                 sums[mine % 8] += 1.0 / (j + 1);
                               };
                             },
                             test::container<owned, "first">(first),
                             test::container < test::reads | test::writes | accumulates, "sums" > (sums)),
                         stradsap::consistency::async);
  std::uint64_t hash = 0;
  for (const auto& [key, value] : std::as_const(first))
    hash = hash * 31 + static_cast<std::uint64_t>(key) * 7 + static_cast<std::uint64_t>(value);
  std::printf("keys=%zu hash=%016llx", first.size(), static_cast<unsigned long long>(hash));
  for (int i = 0; i < 8; ++i) std::printf(" %a", std::as_const(sums)[i]);
  std::printf("\n");
}

int main(int, char** argv) {
  stradsap::abi::enter_main();
  const std::string kind = argv[1];
  if (kind == "sets") sets(20000, -1, -1);
  if (kind == "throws") sets(20000, 1500, 9000);
  if (kind == "range") sets(20000, 9000, 899);
  if (kind == "chain") chain();
  if (kind == "keys") keys();
}

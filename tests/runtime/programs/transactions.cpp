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

/// Union-find by path halving over n random edges. One iteration may throw, one may leave the container.
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

/// Keys that appear while the loop runs, and sums of fractions beside them.
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

/// One step of a walk: changes to a map at one key.
template <class Map> static void meet(Map& seen, int key, int value, int choice) {
  if (std::as_const(seen).contains(key)) {
    if (choice % 5 == 0) seen.erase(key);
    if (seen.find(key + 1) != seen.end()) seen[key + 1] += value;
  } else if (choice % 2 == 0) {
    seen[key] = value;
    if (choice % 8 == 0) seen.erase(key);
  }
}

static std::uint64_t hash_of(const dvector<std::string>& text, const dmap<int, int>& seen) {
  std::uint64_t hash = 0;
  for (const std::string& one : text) hash = hash * 31 + stradsap::abi::hash_bytes(one.data(), one.size());
  for (const auto& [key, value] : seen)
    hash = (hash * 31 + static_cast<std::uint64_t>(key)) * 31 + static_cast<std::uint64_t>(value);
  return hash;
}

/// All operations of bodies on containers, at places that only the running
/// loop knows. Elements are followed and changed, often the same one. Keys
/// are looked up, inserted and erased; strings grow. One iteration may throw.
static void walk(std::uint64_t seed, bool tells_sum) {
  const auto any = [seed](std::uint64_t salt, std::uint64_t below) { return test::draw(seed, salt, below); };
  const int n = 1 + static_cast<int>(any(1, 3000)), size = 1 + static_cast<int>(any(2, 600));
  const int steps = static_cast<int>(any(3, 5)), hot = static_cast<int>(any(4, 40));
  int thrower = any(5, 4) == 0 ? static_cast<int>(any(6, static_cast<std::uint64_t>(n))) : -1;
  int salt = static_cast<int>(any(7, 1000));
  dvector<int> x(size), own(n), counts(size);
  dvector<std::string> text(16);
  dmap<int, int> seen;
  for (int i = 0; i < size; ++i)
    x[i] = static_cast<int>(test::draw(seed, static_cast<std::uint64_t>(100 + i), 1000));
  double sum = 0;
  long whole = 0;
  const auto body = test::loop<14, transactional>(
      "transactions.cpp:120",
      [](decltype(x)& x, decltype(own)& own, decltype(counts)& counts, decltype(text)& text,
         decltype(seen)& seen, const int& size, const int& steps, const int& hot, const int& thrower,
         const int& salt, double& sum, long& whole) {
        return [&x, &own, &counts, &text, &seen, size, steps, hot, thrower, salt, &sum, &whole](int j) {
          int at =
              static_cast<int>(test::draw(static_cast<std::uint64_t>(salt), static_cast<std::uint64_t>(j),
                                          static_cast<std::uint64_t>(size)));
          for (int k = 0; k < steps; ++k) {
            const int next = (x[at] * 7 + k) % size;
            if (x[at] % 3 == 0) x[at] = (x[at] + j + 1) % 1000;
            at = next;
            sum += 1.0 / (1 + at + k);
          }
          if (hot != 0 && j % hot == 0) x[0] = (x[0] + at) % 1000;
          own[j] += at + static_cast<int>(stradsap::random(j).below(9));
          counts[at] += j;
          meet(seen, x[at] % 200, j, at);
          if (at % 16 == 3) text[x[at] % 16] += static_cast<char>('a' + at % 26);
          if (text[at % 16].size() % 7 == 3) x[at] += 1;
          if (j == thrower) throw std::runtime_error("walk");
          whole += at;
        };
      },
      test::container<owned, "x">(x), test::container < test::reads | test::writes | test::aligned,
      "own" > (own), test::container < test::reads | test::writes | accumulates, "counts" > (counts),
      test::container<owned, "text">(text), test::container<owned, "seen">(seen), test::value<0>(size),
      test::value<0>(steps), test::value<0>(hot), test::value<0>(thrower), test::value<0>(salt),
      test::sum(sum), test::sum(whole));
  long long failed = -1;
  try {
    stradsap::parallel_for(n, body, stradsap::consistency::async);
  } catch (const stradsap::loop_error& e) {
    failed = e.iteration();
  }
  if (tells_sum) return void(std::printf("sum=%a\n", sum));
  const std::uint64_t hash = (hash_of(x) * 31 + hash_of(own)) * 31 + hash_of(counts) + hash_of(text, seen);
  std::printf("failed=%lld keys=%zu whole=%ld hash=%016llx\n", failed, seen.size(), whole,
              static_cast<unsigned long long>(hash));
}

int main(int, char** argv) {
  stradsap::abi::enter_main();
  const std::string kind = argv[1];
  if (kind == "sets") sets(20000, -1, -1);
  if (kind == "throws") sets(20000, 1500, 9000);
  if (kind == "range") sets(20000, 9000, 899);
  if (kind == "chain") chain();
  if (kind == "keys") keys();
  for (int seed = 0; seed < 60 && (kind == "walks" || kind == "sums"); ++seed)
    walk(static_cast<std::uint64_t>(seed), kind == "sums");
}

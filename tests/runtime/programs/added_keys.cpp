// Loops that only add into dmaps: counts end as in the plain program, sums of fractions
// close to it and with the same bits on every shape, keys in the order of the program.
// argv[1]: alone, operators, many, throws, or again CALLS same|changes|inserts.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/additions.hpp"

struct counted_words {
  std::vector<std::string> order;  // of keys, as the program meets them
  std::map<std::string, long> counts;
  std::map<long, double> sums;
  std::map<int, cluster> clusters;
};

/// Only the first pass meets some words, only the second pass meets others.
static std::string word(std::int64_t j, int pass) {
  const std::uint64_t drawn = test::draw(8, static_cast<std::uint64_t>(j), 900);
  return "word " + std::to_string(j % 4 == 0       ? 0
                                  : drawn % 3 == 0 ? drawn + 1000 * static_cast<unsigned>(pass)
                                                   : drawn);
}

template <class Counts, class Sums, class Clusters>
static void add_by_key(std::int64_t j, const std::string& w, Counts& counts, Sums& sums, Clusters& clusters) {
  ++counts[w];
  sums[static_cast<long>(place(j)) << 40] -= fraction(j);
  cluster& c = clusters[static_cast<int>(place(j, 4))];
  clusters[static_cast<int>(j % 1000)].count += 2;  // c has not moved
  for (std::size_t d = 0; d < 3; ++d) c.sum[d] += fraction(j + static_cast<std::int64_t>(d));
}

/// New keys come in the program's order; erased keys start anew.
static void run_alone() {
  stradsap::dmap<std::string, long> counts;
  stradsap::dmap<long, double> sums;
  stradsap::dmap<int, cluster> clusters;
  counts["word 0"] = 50;
  counted_words twin;
  twin.counts["word 0"] = 50;
  twin.order = {"word 0"};
  int pass = 0;
  for (const std::int64_t n : {0, 1, 300, 30000, 30000}) {
    ++pass;
    stradsap::dvector<std::string> words(static_cast<std::size_t>(n));
    stradsap::dvector<long> lengths(static_cast<std::size_t>(n));
    for (std::int64_t j = 0; j < n; ++j) words[j] = word(j, pass);
    stradsap::parallel_for(
        n,
        test::loop<8, 0>(
            "added_keys.cpp:320",
            [](decltype(words)& words, decltype(lengths)& lengths, decltype(counts)& counts,
               decltype(sums)& sums, decltype(clusters)& clusters) {
              return [&words, &lengths, &counts, &sums, &clusters](std::int64_t j) {
                lengths[j] = static_cast<long>(words[j].size());
                add_by_key(j, words[j], counts, sums, clusters);
              };
            },
            test::container < test::reads | test::aligned | test::steers > (words),
            test::container < test::reads | test::writes | test::aligned > (lengths),
            test::container<adds, "counts">(counts), test::container<adds, "sums">(sums),
            test::container<adds, "clusters">(clusters)),
        stradsap::consistency::async);
    comparison of;
    for (std::int64_t j = 0; j < n; ++j) {
      const std::string w = word(j, pass);
      if (twin.counts.count(w) == 0 && std::count(twin.order.begin(), twin.order.end(), w) == 0)
        twin.order.push_back(w);
      add_by_key(j, w, twin.counts, twin.sums, twin.clusters);
      of.whole(std::as_const(lengths)[j], static_cast<long>(w.size()));
    }
    std::size_t at = 0;
    for (const auto& [w, count] : std::as_const(counts)) {
      while (twin.counts.count(twin.order.at(at)) == 0) ++at;  // it was erased
      of.whole(w == twin.order[at++] ? 1 : 0, 1);
      of.whole(count, twin.counts.at(w));
    }
    of.whole(static_cast<long>(counts.size()), static_cast<long>(twin.counts.size()));
    for (const auto& [key, sum] : std::as_const(sums)) of.real(sum, twin.sums.at(key));
    for (const auto& [key, c] : std::as_const(clusters)) {
      of.whole(c.count, twin.clusters.at(key).count);
      of.whole(c.label, 7);
      for (std::size_t d = 0; d < 3; ++d) of.real(c.sum[d], twin.clusters.at(key).sum[d]);
    }
    of.whole(static_cast<long>(sums.size() + clusters.size()),
             static_cast<long>(twin.sums.size() + twin.clusters.size()));
    of.print("alone");
    counts.erase("word 0");
    twin.counts.erase("word 0");
  }
}

/// Operators with parts that do not start at zero; and a second map
/// beside containers that are read and written at computed places.
static void run_operators() {
  constexpr std::int64_t n = 20000;
  stradsap::dmap<int, unsigned> product;
  stradsap::dmap<int, double> least, beside;
  stradsap::dvector<long> cells(100);
  for (int key = 0; key < 20; ++key) product[key] = least[key] = 3;
  std::map<int, unsigned> products(product.begin(), product.end());
  std::map<int, double> leasts(least.begin(), least.end()), besides;
  const auto step = [](std::int64_t j, auto& product, auto& least) {
    product[static_cast<int>(place(j))] *= 3;
    least[static_cast<int>(place(j, 2))] = std::min(least[static_cast<int>(place(j, 2))], fraction(j));
  };
  stradsap::parallel_for(
      n,
      test::loop<9, 0>(
          "added_keys.cpp:375",
          [](decltype(product)& product, decltype(least)& least, decltype(step)& step) {
            return [&product, &least, step](std::int64_t j) { step(j, product, least); };
          },
          test::container < adds | 1 << operator_shift, "product" > (product),
          test::container < adds | 2 << operator_shift, "least" > (least), test::value<0>(step)),
      stradsap::consistency::async);
  stradsap::parallel_for(n,
                         test::loop<10, stradsap::abi::has_slice>(
                             "added_keys.cpp:385",
                             [](decltype(cells)& cells, decltype(beside)& beside) {
                               return [&cells, &beside](std::int64_t j) {
                                 cells[place(j, 3)] = cells[place(j, 3)] * 3 % 1000 + 1;
                                 beside[static_cast<int>(place(j))] += fraction(j);
                               };
                             },
                             test::container < test::reads | test::writes, "cells" > (cells),
                             test::container<adds, "beside">(beside)),
                         stradsap::consistency::async);
  for (std::int64_t j = 0; j < n; ++j) {
    step(j, products, leasts);
    besides[static_cast<int>(place(j))] += fraction(j);
  }
  comparison of;
  for (const auto& [key, value] : std::as_const(product)) of.whole(value, products.at(key));
  for (const auto& [key, value] : std::as_const(least)) of.whole(value == leasts.at(key) ? 1 : 0, 1);
  for (const auto& [key, value] : std::as_const(beside)) of.real(value, besides.at(key));
  of.whole(static_cast<long>(product.size() + least.size() + beside.size()),
           static_cast<long>(products.size() + leasts.size() + besides.size()));
  of.print("operators");
}

/// The same places call after call: with keys that are all alike, and with one hot key.
/// The driver may change a place before the last call, or insert a key before each.
static void run_again(int passes, const std::string& what) {
  constexpr std::int64_t n = 20000;
  stradsap::dvector<int> keys(n), hot(n);
  for (std::int64_t j = 0; j < n; ++j) {
    keys[j] = static_cast<int>(test::draw(9, static_cast<std::uint64_t>(j), 500));
    hot[j] = j % 5 < 3 ? 0 : static_cast<int>(place(j));
  }
  stradsap::dmap<int, long> counts;
  stradsap::dmap<int, double> sums;
  std::map<int, long> twin_counts;
  std::map<int, double> twin_sums;
  for (int pass = 0; pass < passes; ++pass) {
    if (what == "changes" && pass == passes - 1) keys[7] = hot[7] = 1000;
    if (what == "inserts") counts[2000 + pass] = twin_counts[2000 + pass] = 1;
    if (what == "inserts") sums[2000 + pass] = twin_sums[2000 + pass] = 1;
    stradsap::parallel_for(n,
                           test::loop<12, stradsap::abi::has_slice>(
                               "added_keys.cpp:170",
                               [](decltype(keys)& keys, decltype(counts)& counts) {
                                 return [&keys, &counts](std::int64_t j) { counts[keys[j]] += 2; };
                               },
                               test::container < test::reads | test::aligned | test::steers > (keys),
                               test::container<adds, "counts">(counts)),
                           stradsap::consistency::async);
    stradsap::parallel_for(n,
                           test::loop<13, stradsap::abi::has_slice>(
                               "added_keys.cpp:180",
                               [](decltype(hot)& hot, decltype(sums)& sums, const int& pass) {
                                 return [&hot, &sums, pass](std::int64_t j) {
                                   sums[hot[j]] += fraction(j + pass);
                                 };
                               },
                               test::container < test::reads | test::aligned | test::steers > (hot),
                               test::container<adds, "sums">(sums), test::value<0>(pass)),
                           stradsap::consistency::async);
    for (std::int64_t j = 0; j < n; ++j) {
      twin_counts[std::as_const(keys)[j]] += 2;
      twin_sums[std::as_const(hot)[j]] += fraction(j + pass);
    }
  }
  comparison of;
  for (const auto& [key, count] : std::as_const(counts)) of.whole(count, twin_counts.at(key));
  for (const auto& [key, sum] : std::as_const(sums)) of.real(sum, twin_sums.at(key));
  of.whole(static_cast<long>(counts.size() + sums.size()),
           static_cast<long>(twin_counts.size() + twin_sums.size()));
  of.print("again");
}

/// More keys in one iteration than an accumulator holds side by side, in a small address range.
static void run_many() {
  constexpr std::int64_t n = 4;
  constexpr std::int64_t each = 20000;
  stradsap::dmap<std::int64_t, double> sums;
  for (int pass = 0; pass < 2; ++pass) {
    stradsap::parallel_for(n,
                           test::loop<14, 0>(
                               "added_keys.cpp:210",
                               [](decltype(sums)& sums) {
                                 return [&sums](std::int64_t j) {
                                   double& first = sums[7919 * j];
                                   for (std::int64_t k = 0; k < each; ++k)
                                     sums[7919 * (j + k)] += fraction(k);
                                   first += 0.5;  // it has not moved
                                 };
                               },
                               test::container<adds, "sums">(sums)),
                           stradsap::consistency::async);
  }
  std::map<std::int64_t, double> twin;
  for (std::int64_t j = 0; j < 2 * n; ++j) {
    for (std::int64_t k = 0; k < each; ++k) twin[7919 * (j % n + k)] += fraction(k);
    twin[7919 * (j % n)] += 0.5;
  }
  comparison of;
  for (const auto& [key, sum] : std::as_const(sums)) of.real(sum, twin.at(key));
  of.whole(static_cast<long>(sums.size()), static_cast<long>(twin.size()));
  of.print("many");
}

/// Additions before a body's exception remain, and the map stays usable.
static void run_throwing() {
  constexpr std::int64_t n = 30000;
  stradsap::dmap<std::string, long> x;
  const auto pass = [&](std::int64_t bad) {
    stradsap::parallel_for(n,
                           test::loop<11, 0>(
                               "added_keys.cpp:415",
                               [](decltype(x)& x, const std::int64_t& bad) {
                                 return [&x, bad](std::int64_t j) {
                                   if (j % 10000 == bad) throw std::runtime_error("bad value");
                                   ++x[word(j, 0)];
                                 };
                               },
                               test::container<adds, "x">(x), test::value<0>(bad)),
                           stradsap::consistency::async);
  };
  try {
    pass(123);
  } catch (const stradsap::loop_error& e) {
    std::printf("iteration %lld\n", static_cast<long long>(e.iteration()));
  }
  x.clear();
  pass(-1);
  long total = 0;
  for (const auto& [w, count] : std::as_const(x)) total += count;
  std::printf("throws total=%ld\n", total);
}

int main(int, char** argv) {
  stradsap::abi::enter_main();
  const std::string kind = argv[1];
  if (kind == "alone") run_alone();
  if (kind == "operators") run_operators();
  if (kind == "again") run_again(std::atoi(argv[2]), argv[3]);
  if (kind == "many") run_many();
  if (kind == "throws") run_throwing();
}

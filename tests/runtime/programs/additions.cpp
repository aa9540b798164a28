// Loops that only add into a container: integers end as in the plain program,
// sums of fractions close to it and with the same bits on every shape.
// argv[1]: alone, beside, waves, ordered, operators, special, large, throws, often, heavy, mixed,
// shards.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/additions.hpp"

template <class Counts, class Sums, class Clusters>
static void add(std::int64_t j, Counts& counts, Sums& sums, Clusters& clusters) {
  counts[place(j)] += j % 5 - 1;
  --counts[place(j, 2)];
  sums[place(j, 3)] -= fraction(j);
  cluster& c = clusters[place(j)];
  for (std::size_t d = 0; d < 3; ++d) c.sum[d] += fraction(j + static_cast<std::int64_t>(d));
  ++c.count;
}

template <class Counts, class Sums, class Clusters> struct sums_of {
  Counts counts;
  Sums sums;
  Clusters clusters;
};
using plain = sums_of<std::vector<long>, std::vector<double>, std::vector<cluster>>;
using distributed = sums_of<stradsap::dvector<long>, stradsap::dvector<double>, stradsap::dvector<cluster>>;

static void compare(const distributed& a, const plain& b, comparison& of) {
  for (std::uint64_t i = 0; i < bins; ++i) {
    of.whole(a.counts[i], b.counts[i]);
    of.real(a.sums[i], b.sums[i]);
    of.whole(a.clusters[i].count, b.clusters[i].count);
    of.whole(a.clusters[i].label, 7);
    for (std::size_t d = 0; d < 3; ++d) of.real(a.clusters[i].sum[d], b.clusters[i].sum[d]);
  }
}

static void run_alone() {
  plain twin{std::vector<long>(bins, 3), std::vector<double>(bins, 0.5), std::vector<cluster>(bins)};
  distributed x{stradsap::dvector<long>(bins, 3), stradsap::dvector<double>(bins, 0.5),
                stradsap::dvector<cluster>(bins)};
  auto& [counts, sums, clusters] = x;
  for (const std::int64_t n : {0, 1, 2, 700, 30000, 30000}) {
    stradsap::parallel_for(
        n,
        test::loop<1, 0>(
            "additions.cpp:87",
            [](decltype(x.counts)& counts, decltype(x.sums)& sums, decltype(x.clusters)& clusters) {
              return [&counts, &sums, &clusters](std::int64_t j) { add(j, counts, sums, clusters); };
            },
            test::container<adds, "counts">(counts), test::container<adds, "sums">(sums),
            test::container<adds, "clusters">(clusters)),
        stradsap::consistency::async);
    for (std::int64_t j = 0; j < n; ++j) add(j, twin.counts, twin.sums, twin.clusters);
    comparison of;
    compare(x, twin, of);
    of.print("alone");
    sums[1] += 0.25;  // the driver writes between loops
    twin.sums[1] += 0.25;
  }
}

/// Elements that are also read and written at computed places, and some at the index of the iteration.
static void run_beside(const stradsap::ConsistencyModel& model, std::uint64_t touches) {
  constexpr std::int64_t n = 6000;
  constexpr std::uint64_t size = 3000;
  using row = std::array<long, 192>;
  plain twin{std::vector<long>(bins), std::vector<double>(bins), std::vector<cluster>(bins)};
  distributed x{stradsap::dvector<long>(bins), stradsap::dvector<double>(bins),
                stradsap::dvector<cluster>(bins)};
  auto& [counts, sums, clusters] = x;
  stradsap::dvector<row> rows(size);
  stradsap::dvector<long> own(n);
  std::vector<row> twin_rows(size);
  std::vector<long> twin_own(n);
  long moved = 0;
  long twin_moved = 0;
  const auto step = [](std::int64_t j, std::uint64_t k, auto& rows, auto& own, long& moved) {
    row& r = rows[test::draw(10 + k, static_cast<std::uint64_t>(j), size)];
    r[k] += 1 + j % 3;
    own[j] += static_cast<long>(k);
    moved += j % 7;
  };
  for (int pass = 0; pass < 3; ++pass) {
    stradsap::parallel_for(
        n,
        test::loop<2, stradsap::abi::has_slice>(
            "additions.cpp:130",
            [](decltype(x.counts)& counts, decltype(x.sums)& sums, decltype(x.clusters)& clusters,
               decltype(rows)& rows, decltype(own)& own, long& moved, const std::uint64_t& touches,
               decltype(step)& step) {
              return [&counts, &sums, &clusters, &rows, &own, &moved, touches, step](std::int64_t j) {
                for (std::uint64_t k = 0; k < touches; ++k) step(j, k, rows, own, moved);
                add(j, counts, sums, clusters);
              };
            },
            test::container<adds, "counts">(counts), test::container<adds, "sums">(sums),
            test::container<adds, "clusters">(clusters), test::container < test::reads | test::writes,
            "rows" > (rows), test::container < test::reads | test::writes | test::aligned, "own" > (own),
            test::sum(moved), test::value<0>(touches), test::value<0>(step)),
        model);
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::uint64_t k = 0; k < touches; ++k) step(j, k, twin_rows, twin_own, twin_moved);
      add(j, twin.counts, twin.sums, twin.clusters);
    }
    if (pass == 0) rows[3][5] += 100;  // the plan stays valid; the container is already cut
    if (pass == 0) twin_rows[3][5] += 100;
  }
  comparison of;
  compare(x, twin, of);
  for (std::uint64_t i = 0; i < size; ++i) of.whole(std::as_const(rows)[i] == twin_rows[i] ? 1 : 0, 1);
  for (std::int64_t j = 0; j < n; ++j) of.whole(std::as_const(own)[j], twin_own[static_cast<std::size_t>(j)]);
  of.whole(moved, twin_moved);
  of.print("beside");
}

/// Whole numbers may be regrouped under `ordered`; fractions end with the bits of the plain program.
static void run_ordered() {
  constexpr std::int64_t n = 30000;
  plain twin{std::vector<long>(bins), std::vector<double>(bins), std::vector<cluster>(bins)};
  distributed x{stradsap::dvector<long>(bins), stradsap::dvector<double>(bins),
                stradsap::dvector<cluster>(bins)};
  auto& [counts, sums, clusters] = x;
  stradsap::parallel_for(
      n,
      test::loop<3, stradsap::abi::has_slice>(
          "additions.cpp:170",
          [](decltype(x.counts)& counts, decltype(x.sums)& sums, decltype(x.clusters)& clusters) {
            return [&counts, &sums, &clusters](std::int64_t j) { add(j, counts, sums, clusters); };
          },
          test::container<adds, "counts">(counts), test::container<adds, "sums">(sums),
          test::container<adds, "clusters">(clusters)),
      stradsap::consistency::ordered);
  for (std::int64_t j = 0; j < n; ++j) add(j, twin.counts, twin.sums, twin.clusters);
  comparison of;
  compare(x, twin, of);
  for (std::uint64_t i = 0; i < bins; ++i) of.whole(std::as_const(sums)[i] == twin.sums[i] ? 1 : 0, 1);
  of.print("ordered");
}

/// One container for each operator, with initial values that the operator could not produce.
static void run_operators() {
  constexpr std::int64_t n = 20000;
  const auto step = [](std::int64_t j, auto& product, auto& least, auto& most, auto& all, auto& any,
                       auto& odd) {
    const auto bits = static_cast<unsigned>(test::draw(5, static_cast<std::uint64_t>(j), 1u << 30));
    product[place(j)] *= 2 * bits + 1;
    least[place(j)] = std::min(least[place(j)], fraction(j));
    if (static_cast<int>(bits % 1000) > most[place(j)]) most[place(j)] = static_cast<int>(bits % 1000);
    all[place(j)] &= bits | 0xffff;
    any[place(j)] |= bits & 0xf0f0;
    odd[place(j)] ^= bits;
  };
  stradsap::dvector<unsigned> product(bins + 1, 3), all(bins + 1, 0xfffffff), any(bins + 1, 1),
      odd(bins + 1, 5);
  stradsap::dvector<double> least(bins + 1, 1e9);
  stradsap::dvector<int> most(bins + 1, -5);
  stradsap::parallel_for(
      n,
      test::loop<4, 0>(
          "additions.cpp:205",
          [](decltype(product)& product, decltype(least)& least, decltype(most)& most, decltype(all)& all,
             decltype(any)& any, decltype(odd)& odd, decltype(step)& step) {
            return [&product, &least, &most, &all, &any, &odd, step](std::int64_t j) {
              step(j, product, least, most, all, any, odd);
            };
          },
          test::container < adds | 1 << operator_shift, "product" > (product),
          test::container < adds | 2 << operator_shift, "least" > (least),
          test::container < adds | 3 << operator_shift, "most" > (most),
          test::container < adds | 4 << operator_shift, "all" > (all),
          test::container < adds | 5 << operator_shift, "any" > (any),
          test::container < adds | 6 << operator_shift, "odd" > (odd), test::value<0>(step)),
      stradsap::consistency::async);
  std::vector<unsigned> products(bins + 1, 3), alls(bins + 1, 0xfffffff), anys(bins + 1, 1),
      odds(bins + 1, 5);
  std::vector<double> leasts(bins + 1, 1e9);
  std::vector<int> mosts(bins + 1, -5);
  for (std::int64_t j = 0; j < n; ++j) step(j, products, leasts, mosts, alls, anys, odds);
  comparison of;
  for (std::uint64_t i = 0; i <= bins; ++i) {
    of.whole(std::as_const(product)[i], products[i]);
    of.whole(std::as_const(most)[i], mosts[i]);
    of.whole(std::as_const(all)[i], alls[i]);
    of.whole(std::as_const(any)[i], anys[i]);
    of.whole(std::as_const(odd)[i], odds[i]);
    of.whole(std::as_const(least)[i] == leasts[i] ? 1 : 0, 1);
  }
  of.print("operators");
}

/// A NaN stays a NaN, and a negative zero without additions keeps its sign.
static void run_special() {
  stradsap::dvector<double> x(4, -0.0);
  x[2] = std::numeric_limits<double>::quiet_NaN();
  x[3] = std::numeric_limits<double>::infinity();
  stradsap::parallel_for(5000,
                         test::loop<5, 0>(
                             "additions.cpp:245",
                             [](decltype(x)& x) {
                               return [&x](std::int64_t j) {
                                 x[1 + static_cast<std::uint64_t>(j % 3)] += j == 1500 ? NAN : 1;
                               };
                             },
                             test::container<adds, "x">(x)),
                         stradsap::consistency::async);
  const auto& y = std::as_const(x);
  std::printf("special %d %d %d %d\n", std::signbit(y[0]), std::isnan(y[1]), std::isnan(y[2]),
              std::isinf(y[3]));
}

/// Few additions into many elements: ranks own these elements, as if the loop read them.
static void run_large() {
  constexpr std::int64_t n = 20000;
  constexpr std::uint64_t size = 1 << 15;  // eight copies are twice as large as the limit
  stradsap::dvector<double> x(size);
  std::vector<double> twin(size);
  const auto step = [](std::int64_t j, auto& x) {
    x[test::draw(1, static_cast<std::uint64_t>(j), size)] += fraction(j);
  };
  stradsap::parallel_for(
      n,
      test::loop<6, 0>(
          "additions.cpp:265",
          [](decltype(x)& x, decltype(step)& step) { return [&x, step](std::int64_t j) { step(j, x); }; },
          test::container<adds, "x">(x), test::value<0>(step)),
      stradsap::consistency::async);
  for (std::int64_t j = 0; j < n; ++j) step(j, twin);
  comparison of;
  for (std::uint64_t i = 0; i < size; ++i) of.real(std::as_const(x)[i], twin[i]);
  of.print("large");
}

static void run_throwing() {
  constexpr std::int64_t n = 30000;
  stradsap::dvector<long> x(bins);
  stradsap::dvector<unsigned> product(bins, 1);
  const auto pass = [&](std::int64_t bad) {
    stradsap::parallel_for(n,
                           test::loop<7, 0>(
                               "additions.cpp:285",
                               [](decltype(x)& x, decltype(product)& product, const std::int64_t& bad) {
                                 return [&x, &product, bad](std::int64_t j) {
                                   if (j % 10000 == bad) throw std::runtime_error("bad value");
                                   ++x[place(j)];
                                   product[place(j)] *= 3;
                                 };
                               },
                               test::container<adds, "x">(x), test::container < adds | 1 << operator_shift,
                               "product" > (product), test::value<0>(bad)),
                           stradsap::consistency::async);
  };
  try {
    pass(123);
  } catch (const stradsap::loop_error& e) {
    std::printf("iteration %lld\n", static_cast<long long>(e.iteration()));
  }
  long wrong = 0;
  for (std::uint64_t i = 0; i < bins; ++i)
    wrong += std::as_const(x)[i] >= 0 && std::as_const(product)[i] % 2 == 1 ? 0 : 1;
  for (std::uint64_t i = 0; i < bins; ++i) x[i] = 0;
  pass(-1);
  long total = 0;
  for (const long v : std::as_const(x)) total += v;
  std::printf("throws wrong=%ld total=%ld\n", wrong, total);
}

/// Mini-batches: many short calls, between which the driver takes a step and clears the gradient. After each
/// third, another loop changes the weights at its index. One call fails.
static void run_often() {
  constexpr std::int64_t n = 64;
  std::vector<double> plain_weights(bins, 0.5);
  stradsap::dvector<double> weights(bins, 0.5);
  stradsap::dvector<double> gradient(bins);
  double loss = 0;
  for (std::int64_t call = 0; call < 700; ++call) {
    const std::int64_t bad = call == 300 ? 1 : -1;
    try {
      stradsap::parallel_for(
          n,
          test::loop<8, 0>(
              "additions.cpp:often",
              [](decltype(weights)& weights, decltype(gradient)& gradient, const std::int64_t& call,
                 const std::int64_t& bad, double& loss) {
                return [&weights, &gradient, call, bad, &loss](std::int64_t j) {
                  if (j == bad) throw std::runtime_error("bad value");
                  const double error = std::as_const(weights)[place(j, 1)] - fraction(j + call);
                  gradient[place(j, call)] += error;
                  loss += error * error;
                };
              },
              test::container<test::reads, "weights">(weights), test::container<adds, "gradient">(gradient),
              test::value<0>(call), test::value<0>(bad), test::sum(loss)),
          stradsap::consistency::async);
    } catch (const stradsap::loop_error&) {
      for (std::uint64_t i = 0; i < bins; ++i) gradient[i] = 0;
      continue;
    }
    std::vector<double> plain_gradient(bins);
    for (std::int64_t j = 0; j < n; ++j)
      plain_gradient[place(j, call)] += plain_weights[place(j, 1)] - fraction(j + call);
    for (std::uint64_t i = 0; i < bins; ++i) {
      plain_weights[i] -= 0.01 * plain_gradient[i];
      weights[i] -= 0.01 * std::as_const(gradient)[i];
      gradient[i] = 0;
    }
    if (call % 3 != 2) continue;
    stradsap::parallel_for(static_cast<std::int64_t>(bins),
                           test::loop<9, 0>(
                               "additions.cpp:decay",
                               [](decltype(weights)& weights) {
                                 return [&weights](std::int64_t j) {
                                   weights[static_cast<std::uint64_t>(j)] *= 0.999;
                                 };
                               },
                               test::container < test::reads | test::writes | test::aligned > (weights)),
                           stradsap::consistency::async);
    for (double& w : plain_weights) w *= 0.999;
  }
  comparison of;
  for (std::uint64_t i = 0; i < bins; ++i) of.real(std::as_const(weights)[i], plain_weights[i]);
  of.real(loss, loss);
  of.print("often");
}

/// Long iterations that add into large containers and rows, between updates by main.
static void run_heavy() {
  constexpr std::int64_t n = 64;
  constexpr std::uint64_t size = 20000, num_rows = 40, length = 500;
  std::vector<double> twin(size);
  std::vector<std::vector<double>> twin_rows(num_rows, std::vector<double>(length));
  stradsap::dvector<double> x(size);
  stradsap::dvector<std::vector<double>> rows(num_rows, std::vector<double>(length));
  const auto step = [](std::int64_t j, std::int64_t call, auto& x, auto& rows) {
    for (std::uint64_t k = 0; k < 6000; ++k) {
      const std::uint64_t i = (static_cast<std::uint64_t>(j + call) * 977 + 3 * k) % size;
      x[i] += fraction(j + call);
      rows[i / length][i % length] += 0.3 * fraction(j);
    }
  };
  comparison of;
  for (std::int64_t call = 0; call < 40; ++call) {
    stradsap::parallel_for(
        n,
        test::loop<10, 0>(
            "additions.cpp:heavy",
            [](decltype(x)& x, decltype(rows)& rows, decltype(step)& step, const std::int64_t& call) {
              return [&x, &rows, step, call](std::int64_t j) { step(j, call, x, rows); };
            },
            test::container<adds, "x">(x), test::container<adds, "rows">(rows), test::value<0>(step),
            test::value<0>(call)),
        stradsap::consistency::async);
    for (std::int64_t j = 0; j < n; ++j) step(j, call, twin, twin_rows);
    for (std::uint64_t i = 0; i < size; ++i) {
      double& sum = rows[i / length][i % length];
      of.real(x[i], twin[i]);
      of.real(sum, twin_rows[i / length][i % length]);
      if (call % 5 == 4) x[i] = twin[i] = sum = twin_rows[i / length][i % length] = 0;
    }
  }
  of.print("heavy");
}

/// A large container beside a small one of fractions.
static void run_mixed() {
  constexpr std::int64_t n = 64;
  constexpr std::uint64_t size = 20000, small = 100;
  std::vector<double> twin(size), few_twin(small);
  stradsap::dvector<double> x(size), few(small);
  const auto step = [](std::int64_t j, auto& x, auto& few) {
    for (std::uint64_t k = 0; k < 6000; ++k)
      x[(static_cast<std::uint64_t>(j) * 977 + 3 * k) % size] += fraction(j);
    for (std::uint64_t k = 0; k < 10; ++k) few[(static_cast<std::uint64_t>(j) + k) % small] += fraction(j);
  };
  for (int call = 0; call < 3; ++call) {
    stradsap::parallel_for(
        n,
        test::loop<11, stradsap::abi::has_slice>(
            "additions.cpp:mixed",
            [](decltype(x)& x, decltype(few)& few, decltype(step)& step) {
              return [&x, &few, step](std::int64_t j) { step(j, x, few); };
            },
            test::container<adds, "x">(x), test::container<adds, "few">(few), test::value<0>(step)),
        stradsap::consistency::async);
    for (std::int64_t j = 0; j < n; ++j) step(j, twin, few_twin);
  }
  comparison of;
  for (std::uint64_t i = 0; i < size; ++i) of.real(std::as_const(x)[i], twin[i]);
  for (std::uint64_t i = 0; i < small; ++i) of.real(std::as_const(few)[i], few_twin[i]);
  of.print("mixed");
}

/// One shard adds in program order, and a mean is no sum.
static void run_shards() {
  constexpr std::int64_t n = 16000;
  double twin = 0;
  for (std::int64_t j = 0; j < n; ++j) twin += fraction(j);
  stradsap::dvector<double> sums(2), means(2);
  const auto pass = [&](stradsap::dvector<double>& x, const stradsap::consistency::sync_options& options) {
    stradsap::parallel_for(n,
                           test::loop<12, 0>(
                               "additions.cpp:shards",
                               [](decltype(sums)& x) {
                                 return [&x](std::int64_t j) {
                                   x[0] += fraction(j);
                                   x[1] += 1;
                                 };
                               },
                               test::container<adds, "x">(x)),
                           stradsap::consistency::sync(options));
  };
  pass(sums, {.shards = 1});
  pass(means, {.merge = stradsap::merge::mean});
  std::printf("%s mean=%g\n", std::as_const(sums)[0] == twin ? "same" : "DIFFERENT", std::as_const(means)[1]);
}

int main(int, char** argv) {
  stradsap::abi::enter_main();
  const std::string kind = argv[1];
  if (kind == "alone") run_alone();
  if (kind == "beside") run_beside(stradsap::consistency::async, 1);
  if (kind == "waves") run_beside(stradsap::consistency::async, 6);
  if (kind == "ordered") run_ordered();
  if (kind == "operators") run_operators();
  if (kind == "special") run_special();
  if (kind == "large") run_large();
  if (kind == "throws") run_throwing();
  if (kind == "often") run_often();
  if (kind == "heavy") run_heavy();
  if (kind == "mixed") run_mixed();
  if (kind == "shards") run_shards();
}

// Synchronous loops over dvectors, beside a twin that keeps a full copy for each shard and folds the copies
// by the rules of docs/consistency.md.
#include <array>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/program.hpp"

namespace merge = stradsap::merge;

/// The containers of the twin. Those of the program have the same names.
struct state {
  std::vector<float> x;
  std::vector<std::array<double, 3>> corners;
  std::vector<std::pair<float, int>> pairs;
  std::vector<std::vector<double>> rows;
  std::vector<int> last;  // at the loop index

  explicit state(std::size_t n, std::size_t num_iterations)
      : x(n, 1),
        corners(n, {1, 2, 3}),
        pairs(n, {0.5f, 7}),
        rows(n, std::vector<double>(5, 0.25)),
        last(num_iterations) {}
};

struct shape {
  long n, batch, shards;
  std::uint64_t size;  // elements of the containers
  merge::rule how;
};

/// The step of iteration j, for the program's containers and the twin's.
static void step(long j, std::uint64_t size, auto& x, auto& corners, auto& pairs, auto& rows, auto& last) {
  const std::uint64_t a = test::draw(1, static_cast<std::uint64_t>(j), size);
  const std::uint64_t b = test::draw(2, static_cast<std::uint64_t>(j), size);
  x[a] += 0.1f * (static_cast<float>(j % 5) - x[a] * x[b]);
  corners[a][j % 3] -= 0.01 * corners[b][0];
  pairs[b].first += 0.5f * x[a];
  if (j % 3 == 0) pairs[b].second -= static_cast<int>(j % 11);
  for (std::size_t k = static_cast<std::size_t>(j % 2); k < rows[a].size(); k += 2)
    rows[a][k] += 0.001 * x[b];
  last[j] += static_cast<int>(a);
}

// ---- the rules ----

template <class N> static bool has_changed(N start, N end) {
  return std::memcmp(&start, &end, sizeof start) != 0;
}

/// The program's own rule: half of each change.
static double half(double folded, const double& start, double end) { return folded + (end - start) / 2; }

template <class N> static N folded(merge::rule how, N start, const std::vector<N>& ends) {
  N made = start;
  N total = 0;
  int changes = 0;
  for (const N end : ends) {
    if (!has_changed(start, end)) continue;
    if (how.which() == merge::rule::kind::function && std::is_same_v<N, double>) {
      made = half(static_cast<double>(made), static_cast<double>(start), static_cast<double>(end));
    } else if (how == merge::sum || how.which() == merge::rule::kind::function) {
      made = has_changed(start, made) ? made + (end - start) : end;
    }
    if (how == merge::min) made = changes == 0 ? end : std::min(made, end);
    if (how == merge::max) made = changes == 0 ? end : std::max(made, end);
    if (how == merge::mean || how == merge::last) made = end;
    total += end - start;
    ++changes;
  }
  return how == merge::mean && changes > 1 ? start + total / static_cast<N>(changes) : made;
}

/// Folds the numbers that `number` finds in each of the states.
static void fold(merge::rule how, state& into, const state& start, const std::vector<state>& ends,
                 auto number) {
  using value = std::remove_cvref_t<decltype(number(into))>;
  std::vector<value> of_ends;
  for (const state& end : ends) of_ends.push_back(number(end));
  number(into) = folded(how, value(number(start)), of_ends);
}

static void run_by_hand(const shape& s, state& now) {
  for (long begin = 0; begin < s.n; begin += s.batch) {
    const long size = std::min(s.n, begin + s.batch) - begin;
    const state start = now;
    std::vector<state> ends(static_cast<std::size_t>(s.shards), start);
    for (long k = 0; k < s.shards; ++k) {
      state& mine = ends[static_cast<std::size_t>(k)];
      for (long j = begin + size * k / s.shards; j < begin + size * (k + 1) / s.shards; ++j) {
        step(j, s.size, mine.x, mine.corners, mine.pairs, mine.rows, mine.last);
      }
    }
    for (std::size_t i = 0; i < s.size; ++i) {
      fold(s.how, now, start, ends, [i](auto& of) -> auto& { return of.x[i]; });
      fold(s.how, now, start, ends, [i](auto& of) -> auto& { return of.pairs[i].first; });
      fold(s.how, now, start, ends, [i](auto& of) -> auto& { return of.pairs[i].second; });
      for (std::size_t k = 0; k < 3; ++k) {
        fold(s.how, now, start, ends, [i, k](auto& of) -> auto& { return of.corners[i][k]; });
      }
      for (std::size_t k = 0; k < 5; ++k) {
        fold(s.how, now, start, ends, [i, k](auto& of) -> auto& { return of.rows[i][k]; });
      }
    }
    for (std::size_t j = 0; j < now.last.size(); ++j) {
      fold(s.how, now, start, ends, [j](auto& of) -> auto& { return of.last[j]; });
    }
  }
}

template <class T> static stradsap::dvector<T> distributed(const std::vector<T>& from) {
  return stradsap::dvector<T>(from.begin(), from.end());
}

template <class T>
static long num_different(const stradsap::dvector<T>& found, const std::vector<T>& wanted) {
  long different = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) different += found[i] != wanted[i] ? 1 : 0;
  return different;
}

/// Two launches: the second one finds the memory and the access counts of the first.
static void compare(const char* name, const shape& s) {
  state twin(s.size, static_cast<std::size_t>(s.n));
  auto x = distributed(twin.x);
  auto corners = distributed(twin.corners);
  auto pairs = distributed(twin.pairs);
  auto rows = distributed(twin.rows);
  auto last = distributed(twin.last);
  const std::uint64_t size = s.size;
  for (int pass = 0; pass < 2; ++pass) {
    stradsap::parallel_for(
        s.n,
        test::loop<1, 0>(
            "shards.cpp:1",
            [](decltype(x)& x, decltype(corners)& corners, decltype(pairs)& pairs, decltype(rows)& rows,
               decltype(last)& last, const std::uint64_t& size) {
              return [&x, &corners, &pairs, &rows, &last, size](long j) {
                step(j, size, x, corners, pairs, rows, last);
              };
            },
            test::container < test::reads | test::writes > (x),
            test::container < test::reads | test::writes > (corners),
            test::container < test::reads | test::writes > (pairs),
            test::container < test::reads | test::writes > (rows),
            test::container < test::reads | test::writes | test::aligned > (last), test::value<0>(size)),
        stradsap::consistency::sync({.batch = s.batch, .shards = s.shards, .merge = s.how}));
    run_by_hand(s, twin);
    x[static_cast<std::size_t>(pass)] = twin.x[static_cast<std::size_t>(pass)] =
        3;  // the driver may write in between
  }
  std::printf("%s wrong=%ld,%ld,%ld,%ld,%ld x=%a\n", name, num_different(std::as_const(x), twin.x),
              num_different(std::as_const(corners), twin.corners),
              num_different(std::as_const(pairs), twin.pairs), num_different(std::as_const(rows), twin.rows),
              num_different(std::as_const(last), twin.last), static_cast<double>(twin.x[2]));
}

static void run_rules() {
  const std::pair<const char*, merge::rule> rules[] = {{"sum", merge::sum},   {"mean", merge::mean},
                                                       {"min", merge::min},   {"max", merge::max},
                                                       {"last", merge::last}, {"function", half}};
  for (const auto& [name, how] : rules) {
    compare(name, {3000, 3000, 16, 40, how});  // few elements: all are copied for a shard
    compare(name, {3000, 500, 3, 2000, how});  // most elements are untouched
    compare(name, {7, 5, 16, 3, how});         // more shards than iterations
  }
}

// ---- sizes ----

/// Batches of four iterations, in a container of `size` numbers.
static void run_small_batches(std::uint64_t size, long n) {
  stradsap::dvector<float> x(size, 1.0f);
  stradsap::parallel_for(n,
                         test::loop<2, 0>(
                             "shards.cpp:2",
                             [](decltype(x)& x, const std::uint64_t& size) {
                               return [&x, size](long j) {
                                 x[test::draw(3, static_cast<std::uint64_t>(j % 1000), size)] += 0.25f;
                               };
                             },
                             test::container < test::reads | test::writes > (x), test::value<0>(size)),
                         stradsap::consistency::sync({.batch = 4, .shards = 2}));
  std::vector<float> twin(size, 1.0f);
  for (long j = 0; j < n; ++j) twin[test::draw(3, static_cast<std::uint64_t>(j % 1000), size)] += 0.25f;
  std::printf("size=%zu wrong=%ld\n", static_cast<std::size_t>(size), num_different(std::as_const(x), twin));
}

// ---- errors ----

static void run_failure() {
  stradsap::dvector<long> x(100);
  try {
    stradsap::parallel_for(1000,
                           test::loop<3, 0>(
                               "shards.cpp:3",
                               [](decltype(x)& x) {
                                 return [&x](long j) {
                                   x[j % 100] += 1;
                                   if (j == 250) throw std::runtime_error("no");
                                 };
                               },
                               test::container < test::reads | test::writes > (x)),
                           stradsap::consistency::sync({.batch = 100, .shards = 4}));
  } catch (const stradsap::loop_error& e) {
    std::printf("iteration %ld\n", static_cast<long>(e.iteration()));
  }
  long different = 0;
  for (const long one : std::as_const(x)) different += one != 2 ? 1 : 0;
  std::printf("wrong=%ld\n", different);
}

static void run_text(const merge::rule& how) {
  stradsap::dvector<std::string> words(10);
  try {
    stradsap::parallel_for(10,
                           test::loop<4, 0>(
                               "shards.cpp:4",
                               [](decltype(words)& words) {
                                 return [&words](long j) { words[(j / 2) % 2] += std::to_string(j); };
                               },
                               test::container<test::writes, "words">(words)),
                           stradsap::consistency::sync({.merge = how}));
    for (const std::string& one : std::as_const(words)) std::printf("%s ", one.c_str());
  } catch (const stradsap::error& e) {
    std::printf("%s\n", e.what());
  }
}

/// Rows that the loop only reads, each at its own index, and a sum of them that each iteration reads too.
static void run_rows() {
  constexpr long n = 800, length = 1000;
  stradsap::dvector<std::vector<double>> rows(n, std::vector<double>(length, 0.5));
  for (long j = 0; j < n; ++j) rows[j][0] = static_cast<double>(j);
  stradsap::dvector<double> x(2);
  for (int pass = 0; pass < 6; ++pass) {
    stradsap::parallel_for(n,
                           test::loop<5, 0>(
                               "shards.cpp:5",
                               [](decltype(rows)& rows, decltype(x)& x) {
                                 return
                                     [&rows, &x](long j) { x[j % 2] += rows[j][0] - 0.001 * x[1 - j % 2]; };
                               },
                               test::container < test::reads | test::aligned, "rows" > (rows),
                               test::container < test::reads | test::writes, "x" > (x)),
                           stradsap::consistency::sync);
  }
  std::printf("%a %a\n", std::as_const(x)[0], std::as_const(x)[1]);
}

int main(int, char** argv) {
  stradsap::abi::enter_main();
  const std::string kind = argv[1];
  if (kind == "rules") run_rules();
  if (kind == "rows") run_rows();
  if (kind == "small") run_small_batches(512, 20000);
  if (kind == "large") run_small_batches(25'000'000, 2000);
  if (kind == "fails") run_failure();
  if (kind == "text") run_text(merge::mean);
  if (kind == "function of numbers") run_text(half);
  if (kind == "function of text") {
    run_text([](const std::string& folded, const std::string&, const std::string& end) {
      return folded + "+" + end;
    });
  }
}

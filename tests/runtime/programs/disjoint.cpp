// Loops of which each iteration touches scattered elements, and no two a common one: words with tokens
// anywhere, columns of a matrix by rows, single bytes. Some have one pair of iterations that meet. Compared
// with the same loops over plain containers. argv[1]: apart, changes, bytes, throws,
// few.
#include <algorithm>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/program.hpp"

constexpr unsigned named = test::reads | test::writes | stradsap::abi::listed;
constexpr unsigned adds = test::reads | test::writes | stradsap::abi::accumulates;
constexpr unsigned places = test::reads | test::steers;

constexpr std::int64_t words = 3000;
constexpr std::uint64_t tokens = 40000;
constexpr std::int64_t columns = 1200;
constexpr std::int64_t rows = 40;

struct token {
  int word = 0;
  double value = 0.5;
  static constexpr auto stradsap_members_() {
    return stradsap::abi::stradsap_members<token>(stradsap::abi::bases<>(), &token::word, &token::value);
  }
};

/// The first token of each word, and after the last one. Some words have none, and one has many.
static std::vector<std::int64_t> some_lengths() {
  std::vector<std::int64_t> first{0};
  for (std::int64_t w = 0; w < words; ++w) {
    const auto left = static_cast<std::int64_t>(tokens) - first.back();
    const auto length = static_cast<std::int64_t>(test::draw(static_cast<std::uint64_t>(w), 1, 20));
    first.push_back(first.back() + std::min(left, w == 1000 ? 5000 : length));
  }
  return first;
}

static std::vector<int> some_order() {
  std::vector<int> order(tokens);
  std::iota(order.begin(), order.end(), 0);
  for (std::uint64_t i = tokens - 1; i > 0; --i) std::swap(order[i], order[test::draw(i, 2, i + 1)]);
  return order;
}

/// Iteration w over the tokens of word w.
template <class Tokens, class Order, class First, class Counts>
static void visit_word(std::int64_t w, Tokens& all, const Order& order, const First& first, Counts& counts) {
  double seen = 0.25;
  for (std::int64_t k = first[w]; k < first[w + 1]; ++k) {
    token& t = all[order[k]];
    seen = seen * 0.75 + t.value * 1.5;
    t.value = seen;
    t.word += static_cast<int>(w);
  }
  counts[static_cast<int>(w % 7)] += 1;
}

template <class Tokens, class Order, class First>
static void find_word(std::int64_t w, Tokens& all, const Order& order, const First& first) {
  for (std::int64_t k = first[w]; k < first[w + 1]; ++k) (void)all[order[k]];
}

struct corpus {
  stradsap::dvector<token> all = stradsap::dvector<token>(tokens);
  stradsap::dvector<int> order = stradsap::dvector<int>(tokens);
  stradsap::dvector<std::int64_t> first = stradsap::dvector<std::int64_t>(words + 1);
  stradsap::dvector<long> counts = stradsap::dvector<long>(7);
  std::vector<token> plain = std::vector<token>(tokens);
  std::vector<int> plain_order = some_order();
  std::vector<std::int64_t> plain_first = some_lengths();
  std::vector<long> plain_counts = std::vector<long>(7);

  void set_order() {
    for (std::size_t i = 0; i < tokens; ++i) order[i] = plain_order[i];
  }
  corpus() {
    set_order();
    for (std::size_t w = 0; w < plain_first.size(); ++w) first[w] = plain_first[w];
  }
  /// The plain program's values, and the number of elements that differ from them.
  [[nodiscard]] long wrong() const {
    long wrong = 0;
    for (std::size_t i = 0; i < tokens; ++i)
      wrong += all[i].value == plain[i].value && all[i].word == plain[i].word ? 0 : 1;
    for (std::size_t i = 0; i < 7; ++i) wrong += counts[i] == plain_counts[i] ? 0 : 1;
    return wrong;
  }
};

template <int Number> static void visit_words(corpus& x, const char* site) {
  auto& [all, order, first, counts, plain, plain_order, plain_first, plain_counts] = x;
  stradsap::parallel_for(
      words,
      test::loop<Number, 0>(
          site,
          stradsap::abi::stradsap_sliced(
              [](decltype(x.all)& all, const decltype(x.order)& order, const decltype(x.first)& first,
                 decltype(x.counts)& counts) {
                return [&](std::int64_t w) { visit_word(w, all, order, first, counts); };
              },
              [](decltype(x.all)& all, const decltype(x.order)& order, const decltype(x.first)& first,
                 decltype(x.counts)&) { return [&](std::int64_t w) { find_word(w, all, order, first); }; }),
          test::container<named>(all), test::container<places>(std::as_const(order)),
          test::container<places>(std::as_const(first)), test::container<adds>(counts)),
      stradsap::consistency::async);
  for (std::int64_t w = 0; w < words; ++w) visit_word(w, plain, plain_order, plain_first, plain_counts);
}

/// Column j of a matrix by rows: scales it, and returns its sum. Iteration `other` has another one.
template <class Matrix>
static double scale_column(std::int64_t j, std::int64_t other, std::int64_t others, Matrix& matrix) {
  const std::int64_t column = j == other ? others : j;
  double sum = 1;
  for (std::int64_t r = 0; r < rows; ++r) sum += matrix[r * columns + column];
  for (std::int64_t r = 0; r < rows; ++r) matrix[r * columns + column] *= 1 + 1 / sum;
  return sum;
}

/// A matrix, and the sum of the columns at all calls.
template <class Matrix> struct table {
  Matrix of = Matrix(rows * columns, 2.0);
  double total = 0.1;
};

template <int Number>
static void scale_columns(table<stradsap::dvector<double>>& x, table<std::vector<double>>& plain,
                          std::int64_t count, std::int64_t other, std::int64_t others, const char* site) {
  stradsap::parallel_for(
      count,
      test::loop<Number, 0>(
          site,
          stradsap::abi::stradsap_sliced(
              [](decltype(x.of)& matrix, double& total, const std::int64_t& from, const std::int64_t& to) {
                return [&matrix, &total, &from, &to](std::int64_t j) {
                  total += scale_column(j, from, to, matrix);
                };
              },
              [](decltype(x.of)& matrix, double&, const std::int64_t& from, const std::int64_t& to) {
                return [&matrix, &from, &to](std::int64_t j) {
                  const std::int64_t column = j == from ? to : j;
                  for (std::int64_t r = 0; r < rows; ++r) (void)matrix[r * columns + column];
                };
              }),
          test::container<named>(x.of), test::sum(x.total), test::value<test::steers>(other),
          test::value<test::steers>(others)),
      stradsap::consistency::async);
  for (std::int64_t j = 0; j < count; ++j) plain.total += scale_column(j, other, others, plain.of);
}

static void run_apart() {
  corpus x;
  table<stradsap::dvector<double>> matrix;
  table<std::vector<double>> plain;
  for (int pass = 0; pass < 6; ++pass) {
    visit_words<1>(x, "disjoint.cpp:1");
    scale_columns<2>(matrix, plain, columns, -1, -1, "disjoint.cpp:2");
    scale_columns<3>(matrix, plain, columns, columns - 1, 3, "disjoint.cpp:3");  // not in the sample
    scale_columns<4>(matrix, plain, 700, -1, -1, "disjoint.cpp:4");
  }
  long wrong = matrix.total == plain.total ? 0 : 1;
  for (std::size_t i = 0; i < plain.of.size(); ++i) wrong += matrix.of[i] == plain.of[i] ? 0 : 1;
  std::printf("wrong=%ld,%ld\n", x.wrong(), wrong);
}

/// Data decide anew at each call whether iterations meet.
static void run_changes() {
  corpus x;
  for (int pass = 0; pass < 12; ++pass) {
    const int last = x.plain_order[tokens - 1];
    if (pass % 3 == 1) x.plain_order[static_cast<std::size_t>(x.plain_first[words]) - 1] = x.plain_order[0];
    x.set_order();
    visit_words<1>(x, "disjoint.cpp:5");
    if (pass % 3 == 2) x.plain_order = some_order();
    if (pass % 3 == 2) std::reverse(x.plain_order.begin(), x.plain_order.begin() + last % 100);
  }
  std::printf("wrong=%ld\n", x.wrong());
}

/// Neighbouring bytes belong to different threads.
static void run_bytes() {
  constexpr std::int64_t n = 2000;
  constexpr std::int64_t each = 16;
  stradsap::dvector<unsigned char> bytes(n * each);
  stradsap::dvector<bool> flags(n * each);
  for (int pass = 0; pass < 40; ++pass) {
    stradsap::parallel_for(n,
                           test::loop<6, 0>(
                               "disjoint.cpp:6",
                               [](decltype(bytes)& bytes, decltype(flags)& flags) {
                                 return [&bytes, &flags](std::int64_t j) {
                                   for (std::int64_t k = 0; k < each; ++k) {
                                     ++bytes[k * n + (j * 997 + k) % n];
                                     flags[k * n + (j * 997 + k) % n] ^= true;
                                   }
                                 };
                               },
                               test::container<named>(bytes), test::container<named>(flags)),
                           stradsap::consistency::async);
  }
  long wrong = 0;
  for (std::int64_t i = 0; i < n * each; ++i) wrong += bytes[i] == 40 && !flags[i] ? 0 : 1;
  std::printf("wrong=%ld\n", wrong);
}

static void run_throws() {
  stradsap::dvector<double> matrix(rows * columns, 2.0);
  for (const std::int64_t threshold : {700, 300}) {
    try {
      stradsap::parallel_for(
          columns,
          test::loop<7, 0>("disjoint.cpp:7",
                           stradsap::abi::stradsap_sliced(
                               [](decltype(matrix)& matrix, const std::int64_t& threshold) {
                                 return [&matrix, &threshold](std::int64_t j) {
                                   for (std::int64_t r = 0; r < rows; ++r) matrix[r * columns + j] += 1;
                                   if (j >= threshold) throw std::runtime_error("bad column");
                                 };
                               },
                               [](decltype(matrix)& matrix, const std::int64_t&) {
                                 return [&matrix](std::int64_t j) {
                                   for (std::int64_t r = 0; r < rows; ++r) (void)matrix[r * columns + j];
                                 };
                               }),
                           test::container<named>(matrix), test::value<0>(threshold)),
          stradsap::consistency::async);
    } catch (const stradsap::loop_error& e) {
      std::printf("iteration %lld\n", static_cast<long long>(e.iteration()));
    }
  }
  long wrong = 0;
  for (std::int64_t j = 0; j < 300; ++j) wrong += matrix[j] == 4.0 ? 0 : 1;  // before both
  std::printf("wrong=%ld\n", wrong);
}

template <class Matrix> static void scale_row(Matrix& matrix, std::int64_t row) {
  for (std::int64_t k = row * columns; k < (row + 1) * columns; ++k) matrix[k] *= 1.001;
}

/// Fewer rows than threads. The first one moves at each call, which makes another plan.
static void run_few() {
  stradsap::dvector<double> matrix(rows * columns, 2.0);
  std::vector<double> plain(rows * columns, 2.0);
  for (int call = 0; call < 2000; ++call) {
    const std::int64_t count = 1 + call % 3;
    const std::int64_t first = call % (rows - 3);
    stradsap::parallel_for(count,
                           test::loop<8, 0>("disjoint.cpp:8",
                                            stradsap::abi::stradsap_sliced(
                                                [](decltype(matrix)& of, const std::int64_t& first) {
                                                  return [&of, &first](std::int64_t j) {
                                                    scale_row(of, first + j);
                                                  };
                                                },
                                                [](decltype(matrix)& of, const std::int64_t& first) {
                                                  return [&of, &first](std::int64_t j) {
                                                    for (std::int64_t k = 0; k < columns; ++k)
                                                      (void)of[(first + j) * columns + k];
                                                  };
                                                }),
                                            test::container<named>(matrix), test::value<test::steers>(first)),
                           stradsap::consistency::async);
    for (std::int64_t j = 0; j < count; ++j) scale_row(plain, first + j);
  }
  long wrong = 0;
  for (std::size_t i = 0; i < plain.size(); ++i) wrong += matrix[i] == plain[i] ? 0 : 1;
  std::printf("wrong=%ld\n", wrong);
}

int main(int, char** argv) {
  stradsap::abi::enter_main();
  const std::string kind = argv[1];
  if (kind == "apart") run_apart();
  if (kind == "changes") run_changes();
  if (kind == "bytes") run_bytes();
  if (kind == "throws") run_throws();
  if (kind == "few") run_few();
}

// Loops that capture 8 MB, which the driver may send late: not for short calls, in the first call if it is
// long, and else once the calls have taken long enough. Iterations that wait take a known time. Prints
// results that depend on every iteration, on its bits and on how often it ran. `late_values fails` has an
// iteration that throws.
#include <poll.h>

#include <numeric>
#include <stdexcept>
#include <vector>

#include "tests/support/program.hpp"

namespace {

using reals = stradsap::dvector<double>;
using table = std::vector<std::vector<double>>;

constexpr std::size_t rows = 1000;
constexpr std::size_t columns = 1000;

struct results {
  reals each;
  double fractions = 0;
  std::int64_t whole = 0;
};

double sum_of(const std::vector<double>& row) { return std::accumulate(row.begin(), row.end(), 0.0); }

/// Each iteration waits for some milliseconds; iteration `fails` throws. The first iterations decide the bits
/// of the sum.
void add_rows(const char* label, std::int64_t n, int milliseconds, const table& values, results& to,
              std::int64_t fails = -1) {
  reals& each = to.each;
  double& fractions = to.fractions;
  stradsap::parallel_for(
      label, n,
      test::loop<1, 0>(
          "late_values.cpp:fractions",
          [](const table& values, const int& milliseconds, const std::int64_t& fails, reals& each,
             double& fractions) {
            return [&values, milliseconds, fails, &each, &fractions](std::int64_t j) {
              if (milliseconds > 0) poll(nullptr, 0, milliseconds);
              if (j == fails) throw std::runtime_error("as asked");
              const double sum = sum_of(values[static_cast<std::size_t>(j) % rows]);
              each[static_cast<std::size_t>(j)] = each[static_cast<std::size_t>(j)] * 0.3 + sum;
              fractions += sum / (static_cast<double>(j * j * j) - 0.37 * static_cast<double>(fails));
            };
          },
          test::value<0>(values), test::value<0>(milliseconds), test::value<0>(fails),
          test::container < test::reads | test::writes | test::aligned, "each" > (each),
          test::sum<"fractions">(fractions)),
      stradsap::consistency::async);
}

/// Two containers that are cut at other places, and blocks that may be cut.
void count_rows(const char* label, std::int64_t n, const table& values, reals& more, results& to) {
  reals& each = to.each;
  std::int64_t& whole = to.whole;
  stradsap::parallel_for(
      label, n,
      test::loop<2, 0>(
          "late_values.cpp:whole",
          [](const table& values, reals& each, reals& more, std::int64_t& whole) {
            return [&values, &each, &more, &whole](std::int64_t j) {
              poll(nullptr, 0, 1);
              const auto at = static_cast<std::size_t>(j);
              each[at] += values[at % rows][at % columns];
              more[at] += each[at];
              whole += j + 1;
            };
          },
          test::value<0>(values), test::container < test::reads | test::writes | test::aligned,
          "each" > (each), test::container < test::reads | test::writes | test::aligned, "more" > (more),
          test::sum<"whole">(whole)),
      stradsap::consistency::async);
}

table counted_from(double first) {
  table values(rows, std::vector<double>(columns));
  for (std::vector<double>& row : values) {
    for (double& value : row) value = first += 0.7;
  }
  return values;
}

void print(const char* title, const results& of) {
  double sum = 0;
  for (const double one : of.each) sum = sum * 0.9 + one;
  std::printf("%s: %a %a %lld\n", title, sum, of.fractions, static_cast<long long>(of.whole));
}

void call_with_failures() {
  const table values = counted_from(1);
  for (const std::int64_t fails : {2, 190}) {
    results of{reals(200)};
    try {
      add_rows("fails", 200, 1, values, of, fails);
    } catch (const stradsap::loop_error& e) {
      std::printf("iteration %lld: %a\n", static_cast<long long>(e.iteration()), of.fractions);
    }
    add_rows("after a failure", 200, 1, values, of);
    std::printf("%a\n", of.fractions);
  }
}

void call_loops() {
  const table values = counted_from(0);
  results of_short{reals(64)};
  for (int call = 0; call < 10; ++call) {
    of_short.fractions = 0;
    add_rows("short", 64, 0, values, of_short, -1 - call);  // other bits in each call
    print("short", of_short);
  }
  results of_long{reals(200)};
  add_rows("long", 200, 1, counted_from(3), of_long);
  print("long", of_long);

  results counted{reals(200)};
  reals more(317);
  const table others = counted_from(5);
  count_rows("cut", 200, others, more, counted);
  for (const double one : std::as_const(more)) counted.fractions += one;
  print("cut", counted);

  const table last = counted_from(7);
  results of_many{reals(16)};
  add_rows("first of many", 16, 1, last, of_many);
  for (int call = 0; call < 12; ++call) add_rows("others of many", 16, 1, last, of_many);
  print("many", of_many);
}

}  // namespace

int main(int argc, char**) {
  stradsap::abi::enter_main();
  argc > 1 ? call_with_failures() : call_loops();
}

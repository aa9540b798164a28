// Loops that read captured values of 4 MB, which change between the calls or stay. Each call has a label, so
// that the statistics tell how much it sent. Prints how many sums are wrong. With an argument, it prints
// whether bodies read the variable itself.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tests/support/program.hpp"

static int shared_table[100000];

namespace {

using stradsap::consistency::async;
using table = std::vector<std::int32_t>;
using longs = stradsap::dvector<long>;

constexpr long n = 1 << 20;
int wrong = 0;

void expect(long sum, long wanted) { wrong += sum != wanted; }
long sum_of(const table& values) { return std::accumulate(values.begin(), values.end(), 0L); }
table counted_from(std::int32_t first) {
  table values(n);
  std::iota(values.begin(), values.end(), first);
  return values;
}

/// Iteration `fails` throws.
long sum_by_loop(const char* label, const table& values, long fails = -1) {
  long sum = 0;
  stradsap::parallel_for(label, n,
                         test::loop<1, 0>(
                             "captured_values.cpp:sum",
                             [](const table& values, const long& fails, long& sum) {
                               return [&values, fails, &sum](long j) {
                                 if (j == fails) throw std::runtime_error("as asked");
                                 sum += values[static_cast<std::size_t>(j)];
                               };
                             },
                             test::value<0>(values), test::value<0>(fails), test::sum<"sum">(sum)),
                         async);
  return sum;
}

long sum_of_differences(const char* label, const table& a, const table& b) {
  long sum = 0;
  stradsap::parallel_for(label, n,
                         test::loop<2, 0>(
                             "captured_values.cpp:differences",
                             [](const table& a, const table& b, long& sum) {
                               return [&a, &b, &sum](long j) {
                                 sum += j % 3 *
                                        (a[static_cast<std::size_t>(j)] - b[static_cast<std::size_t>(j)]);
                               };
                             },
                             test::value<0>(a), test::value<0>(b), test::sum<"sum">(sum)),
                         async);
  return sum;
}

template <std::uint64_t Id> long sum_of_global(const char* label) {
  using globals = stradsap::stradsap_globals<stradsap::stradsap_global<0, &shared_table>>;
  long sum = 0;
  stradsap::parallel_for(
      label, 100000,
      stradsap::stradsap_loop<Id, 0, globals>(
          "captured_values.cpp:global", [](long& sum) { return [&sum](long j) { sum += shared_table[j]; }; },
          test::sum<"sum">(sum)),
      async);
  return sum;
}

/// The row is an element of the container, as a caller may have passed it: bodies find it unchanged.
void add_size_of(const std::vector<long>& row, stradsap::dvector<std::vector<long>>& rows) {
  using lists = stradsap::dvector<std::vector<long>>;
  stradsap::parallel_for(
      1000,
      test::loop<5, 0>(
          "captured_values.cpp:rows",
          [](const std::vector<long>& row, lists& rows) {
            return [&row, &rows](long j) {
              const auto size = static_cast<long>(row.size());
              rows[j].assign(static_cast<std::size_t>(7 + j % 5), size);
            };
          },
          test::value<0>(row), test::container < test::reads | test::writes | test::aligned, "rows" > (rows)),
      async);
}

/// Places decided by captured values: a plan holds only while they stay.
void scatter(const table& places, longs& X) {
  stradsap::parallel_for(
      "scatter", 3000,
      test::loop<6, 0>(
          "captured_values.cpp:scatter",
          [](const table& places, longs& X) {
            return [&places, &X](long j) { X[places[static_cast<std::size_t>(j)]] += j; };
          },
          test::value<test::steers>(places), test::container < test::reads | test::writes, "X" > (X)),
      async);
}

void change_and_send() {
  table values = counted_from(0);
  expect(sum_by_loop("first", values), sum_of(values));
  expect(sum_by_loop("again", values), sum_of(values));
  values[5] += 7;
  expect(sum_by_loop("changed", values), sum_of(values));
  const table copy = values;
  expect(sum_by_loop("copy", copy), sum_of(values));
  try {
    expect(sum_by_loop("failed", values, 1000), 0);
    ++wrong;
  } catch (const stradsap::loop_error&) {
  }
  expect(sum_by_loop("after a failure", values), sum_of(values));
  table longer = counted_from(3);
  const long difference = sum_of_differences("two", values, longer);
  expect(sum_of_differences("two again", values, longer), difference);
  std::swap(values, longer);
  expect(sum_of_differences("swapped", values, longer), -difference);
  expect(sum_by_loop("of another loop", longer), sum_of(longer));
}

void destroy_between() {
  for (int pass = 0; pass < 3; ++pass) {
    const auto values = std::make_unique<table>(counted_from(pass));
    expect(sum_by_loop("destroyed", *values), sum_of(*values));
  }
}

void change_a_global() {
  expect(sum_of_global<3>("global"), 0);
  shared_table[99999] = 1;
  expect(sum_of_global<4>("global of another loop"), 1);
  shared_table[99999] = 0;
  expect(sum_of_global<3>("global as before"), 0);
  expect(sum_of_global<4>("global unchanged"), 0);
}

void change_places() {
  longs X(400);
  std::vector<long> wanted(400);
  table places(3000);
  for (int pass = 0; pass < 4; ++pass) {
    for (std::size_t j = 0; j < places.size(); ++j) {
      if (pass != 2)
        places[j] = static_cast<std::int32_t>(test::draw(j, static_cast<std::uint64_t>(pass), 400));
      wanted[static_cast<std::size_t>(places[j])] += static_cast<long>(j);
    }
    scatter(places, X);
  }
  for (long i = 0; i < 400; ++i) wrong += X[i] != wanted[static_cast<std::size_t>(i)];
}

void read_an_element() {
  stradsap::dvector<std::vector<long>> rows(1000);
  rows[0] = {1, 2, 3};
  add_size_of(std::as_const(rows)[0], rows);
  for (long j = 0; j < 1000; ++j)
    wrong += std::as_const(rows)[j] != std::vector<long>(static_cast<std::size_t>(7 + j % 5), 3);
}

/// The number of iterations that read `values` itself.
long iterations_in_place(const table& values) {
  long sum = 0;
  const auto address = reinterpret_cast<std::uintptr_t>(&values);
  stradsap::parallel_for(1000,
                         test::loop<7, 0>(
                             "captured_values.cpp:place",
                             [](const table& values, const std::uintptr_t& address, long& sum) {
                               return [&values, address, &sum](long) {
                                 sum += reinterpret_cast<std::uintptr_t>(&values) == address ? 1 : 0;
                               };
                             },
                             test::value<0>(values), test::value<0>(address), test::sum<"sum">(sum)),
                         async);
  return sum;
}

}  // namespace

int main(int argc, char**) {
  stradsap::abi::enter_main();
  if (argc > 1) {
    std::printf("in place=%ld\n", iterations_in_place(counted_from(0)));
    return 0;
  }
  change_and_send();
  destroy_between();
  change_a_global();
  change_places();
  read_an_element();
  std::printf("wrong=%d\n", wrong);
}

// Two containers. Each is written by the loop that reads the other at computed places, so all ranks
// need all of it after each loop. Between the loops, events change these needs: the driver writes
// and reads, containers change size, one loop pauses, another fails, one writes both. X is of
// numbers and of strings, which own memory. Prints how often something differs from a plain vector.
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/program.hpp"

namespace {

constexpr long n = 2000;
using longs = stradsap::dvector<long>;
using strings = stradsap::dvector<std::string>;
using stradsap::consistency::async;

long place(long j, long by) { return (j * 7 + by) % n; }

int wrong = 0;

class trial {
 public:
  trial() {
    for (long j = 0; j < n; ++j) X_[j] = std::to_string(x_[static_cast<std::size_t>(j)] = j);
  }

  /// X[j] from an element of Y at another place.
  void numbers_to_text(long by) {
    stradsap::parallel_for(
        n,
        test::loop<1, 0>(
            "broadcast.cpp:text",
            [](strings& X, longs& Y, const long& by) {
              return [&X, &Y, by](long j) { X[j] = std::to_string(std::as_const(Y)[place(j, by)] + j); };
            },
            test::container < test::writes | test::aligned, "X" > (X_), test::container<test::reads, "Y">(Y_),
            test::value<0>(by)),
        async);
    for (long j = 0; j < n; ++j) x(j) = y(place(j, by)) + j;
  }

  /// Y[j] from an element of X at another place; iteration `fails` throws.
  void text_to_numbers(long by, long fails = -1) {
    try {
      stradsap::parallel_for(n,
                             test::loop<2, 0>(
                                 "broadcast.cpp:numbers",
                                 [](strings& X, longs& Y, const long& by, const long& fails) {
                                   return [&X, &Y, by, fails](long j) {
                                     if (j == fails) throw std::runtime_error("as asked");
                                     Y[j] += std::stol(std::as_const(X)[place(j, by)]);
                                   };
                                 },
                                 test::container<test::reads, "X">(X_),
                                 test::container < test::reads | test::writes | test::aligned, "Y" > (Y_),
                                 test::value<0>(by), test::value<0>(fails)),
                             async);
    } catch (const stradsap::loop_error&) {
      for (long j = 0; j < n; ++j) y(j) = std::as_const(Y_)[j];  // its progress does not matter
      return;
    }
    for (long j = 0; j < n; ++j) y(j) += x(place(j, by));
  }

  void write_both() {
    stradsap::parallel_for(n,
                           test::loop<3, 0>(
                               "broadcast.cpp:both",
                               [](strings& X, longs& Y) {
                                 return [&X, &Y](long j) {
                                   X[j] += "1";
                                   Y[j] -= j;
                                 };
                               },
                               test::container < test::reads | test::writes | test::aligned, "X" > (X_),
                               test::container < test::reads | test::writes | test::aligned, "Y" > (Y_)),
                           async);
    for (long j = 0; j < n; ++j) {
      x(j) = x(j) * 10 + 1;
      y(j) -= j;
    }
  }

  void driver_writes(long j, long to) {
    Y_[j] = y(j) = to;
    X_[j + 1] = std::to_string(x(j + 1) = to + 1);
  }
  void driver_reads(long j) {
    if (std::as_const(Y_)[j] != y(j) || std::as_const(X_)[j] != std::to_string(x(j))) ++wrong;
  }
  void resize(long to) {
    Y_.resize(static_cast<std::size_t>(to));
    Y_.resize(static_cast<std::size_t>(n));
    for (long j = to; j < n; ++j) y(j) = 0;
  }
  void check(const char* when) {
    int found = 0;
    for (long j = 0; j < n; ++j) {
      found += std::as_const(Y_)[j] != y(j) || std::as_const(X_)[j] != std::to_string(x(j)) ? 1 : 0;
    }
    if (found != 0) std::printf("%s: %d\n", when, found);
    wrong += found;
  }

 private:
  long& x(long j) { return x_[static_cast<std::size_t>(j)]; }
  long& y(long j) { return y_[static_cast<std::size_t>(j)]; }

  strings X_{static_cast<std::size_t>(n)};
  longs Y_ = longs(static_cast<std::size_t>(n), 1);
  std::vector<long> x_ = std::vector<long>(static_cast<std::size_t>(n));
  std::vector<long> y_ = std::vector<long>(static_cast<std::size_t>(n), 1);
};

}  // namespace

int main() {
  stradsap::abi::enter_main();
  trial t;
  for (long by = 0; by < 4; ++by) {
    t.numbers_to_text(by);
    t.text_to_numbers(by + 1);
  }
  t.check("in turn");
  t.numbers_to_text(5);
  t.driver_writes(1200, 9);
  t.text_to_numbers(6);
  t.driver_reads(700);
  t.numbers_to_text(7);
  t.text_to_numbers(8);
  t.driver_writes(3, 4);
  t.numbers_to_text(9);
  t.check("with the driver's changes");
  t.text_to_numbers(1);
  t.resize(1500);
  t.numbers_to_text(2);
  t.check("after another size");
  t.text_to_numbers(3, 900);
  t.numbers_to_text(4);
  t.text_to_numbers(5);
  t.check("after a failure");
  t.write_both();
  t.write_both();
  t.text_to_numbers(7);
  t.numbers_to_text(8);
  t.check("after loops that read neither elsewhere");
  std::printf("wrong=%d\n", wrong);
}

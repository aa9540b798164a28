// Loops with plans that keep the elements of X in plan layout, and all later users of the
// canonical layout: the driver, other loops, other plans, a change of size. X is of numbers,
// then of strings, which own memory. Prints how often something differs from a plain vector.
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/program.hpp"

namespace {

constexpr long n = 3000;
using longs = stradsap::dvector<long>;
using stradsap::consistency::async;

long number(long x) { return x; }
long number(const std::string& x) { return std::stol(x); }
void become(long& x, long to) { x = to; }
void become(std::string& x, long to) { x = std::string(40, '0') + std::to_string(to); }

int wrong = 0;

template <class T> class trial {
 public:
  static constexpr std::uint64_t base = std::is_same_v<T, long> ? 0 : 100;
  using Xs = stradsap::dvector<T>;
  using ints = const long&;

  trial() {
    for (long j = 0; j < n; ++j) become(X_[j], x_[j] = 3 * j);
    fill(I_, 7);
    fill(J_, 11);
  }

  // ---- loops, each on the containers and on the plain vectors ----

  /// Adds X[j] to P[I[j]], for j < m.
  void scatter(longs& I, long m) {
    stradsap::parallel_for(
        m,
        test::loop<base + 1, 0>(
            "plan_layout.cpp:scatter",
            [](longs& I, Xs& X, longs& P) { return [&I, &X, &P](long j) { P[I[j]] += number(X[j]); }; },
            test::container < test::reads | test::aligned | test::steers, "I" > (I),
            test::container < test::reads | test::aligned, "X" > (X_),
            test::container < test::reads | test::writes, "P" > (P_)),
        async);
    for (long j = 0; j < m; ++j) p_[places(I, j)] += x_[j];
  }
  void first() { scatter(I_, n); }
  void second() { scatter(J_, n); }
  void half() { scatter(I_, n / 2); }

  /// Adds `by` to X[j] too.
  void change(longs& I, long by, const stradsap::ConsistencyModel& model = async) {
    stradsap::parallel_for(n,
                           test::loop<base + 2, 0>(
                               "plan_layout.cpp:change",
                               [](longs& I, Xs& X, longs& P, ints by) {
                                 return [&I, &X, &P, by](long j) {
                                   P[I[j]] += number(X[j]);
                                   become(X[j], number(X[j]) + by);
                                 };
                               },
                               test::container < test::reads | test::aligned | test::steers, "I" > (I),
                               test::container < test::reads | test::writes | test::aligned, "X" > (X_),
                               test::container < test::reads | test::writes, "P" > (P_), test::value<0>(by)),
                           model);
    for (long j = 0; j < n; ++j) {
      p_[places(I, j)] += x_[j];
      x_[j] += by;
    }
  }

  void change_first() { change(I_, 1); }
  void change_second() { change(J_, 2); }
  void change_in_order() { change(I_, 3, stradsap::consistency::ordered); }

  /// Ends in the middle.
  void fail() {
    try {
      stradsap::parallel_for(n,
                             test::loop<base + 6, 0>(
                                 "plan_layout.cpp:fail",
                                 [](longs& I, const Xs& X, longs& Q) {
                                   return [&I, &X, &Q](long j) {
                                     Q[I[j]] += number(X[j]);
                                     if (j == 1700) throw std::runtime_error("enough");
                                   };
                                 },
                                 test::container < test::reads | test::aligned | test::steers, "I" > (I_),
                                 test::container < test::reads | test::aligned, "X" > (std::as_const(X_)),
                                 test::container < test::reads | test::writes, "Q" > (spoiled_)),
                             async);
      ++wrong;
    } catch (const stradsap::loop_error&) {
    }
  }

  /// Needs no list of iterations.
  void grow() {
    stradsap::parallel_for(n,
                           test::loop<base + 3, 0>(
                               "plan_layout.cpp:grow",
                               [](Xs& X) { return [&X](long j) { become(X[j], number(X[j]) + j % 5); }; },
                               test::container < test::reads | test::writes | test::aligned, "X" > (X_)),
                           async);
    for (long j = 0; j < n; ++j) x_[j] += j % 5;
  }

  /// Reads X in two ways.
  void twice(const stradsap::ConsistencyModel& model) {
    stradsap::parallel_for(n,
                           test::loop<base + 4, 0>(
                               "plan_layout.cpp:twice",
                               [](longs& I, const Xs& X, const Xs& Y, longs& P) {
                                 return [&I, &X, &Y, &P](long j) {
                                   P[I[j]] += number(X[j]) + number(Y[n - 1 - j]);
                                 };
                               },
                               test::container < test::reads | test::aligned | test::steers, "I" > (I_),
                               test::container < test::reads | test::aligned, "X" > (std::as_const(X_)),
                               test::container<test::reads, "Y">(std::as_const(X_)),
                               test::container < test::reads | test::writes, "P" > (P_)),
                           model);
    for (long j = 0; j < n; ++j) p_[places(I_, j)] += x_[j] + x_[n - 1 - j];
  }

  // ---- the driver ----

  void check(const char* when) {
    check_sums(when);
    const Xs& X = X_;
    for (long j = 0; j < static_cast<long>(x_.size()); j += 13) expect(number(X[j]), x_[j], when);
  }
  void check_sums(const char* when) {
    for (long i = 0; i < 100; ++i) expect(std::as_const(P_)[i], p_[i], when);
  }
  void expect(long is, long wanted, const char* when) {
    if (is == wanted) return;
    if (++wrong < 10) std::fprintf(stderr, "%s: %ld, expected %ld\n", when, is, wanted);
  }
  void write(long j, long to) { become(X_[j], x_[j] = to); }
  void resize(long to) {
    X_.resize(to);
    for (long j = static_cast<long>(x_.size()); j < to; ++j) become(X_[j], 0);
    x_.resize(to);
  }
  void assign(long value) {
    T all{};
    become(all, value);
    X_.assign(n, all);
    x_.assign(n, value);
  }
  /// Another container takes X's elements; X is empty and gets them back.
  void move() {
    Xs other = std::move(X_);
    expect(static_cast<long>(X_.size()), 0, "moved");
    X_ = std::move(other);
  }
  void forget_many_plans() {
    longs Q(200);
    for (long m = 1; m <= 70; ++m) {
      stradsap::parallel_for(
          m,
          test::loop<base + 5, 0>(
              "plan_layout.cpp:forget", [](longs& I, longs& Q) { return [&I, &Q](long j) { Q[I[j]] += 1; }; },
              test::container < test::reads | test::aligned | test::steers, "I" > (J_),
              test::container < test::reads | test::writes, "Q" > (Q)),
          async);
    }
  }

 private:
  void fill(longs& I, long step) {
    for (long j = 0; j < n; ++j) I[j] = j * step % 100;
  }
  long places(longs& I, long j) const { return j * (&I == &I_ ? 7 : 11) % 100; }

  Xs X_ = Xs(n);
  longs I_ = longs(n), J_ = longs(n), P_ = longs(100), spoiled_ = longs(100);
  std::vector<long> x_ = std::vector<long>(n), p_ = std::vector<long>(100);
};

/// Plans made one after the other, with one event after each.
template <class T> void read_only() {
  trial<T> t;
  t.first();
  t.first();
  t.check_sums("two passes");
  t.check("the driver reads");
  t.first();
  t.write(5, 1000);
  t.first();
  t.check("the driver wrote");
  t.second();
  t.first();
  t.write(6, 2000);
  t.second();
  t.first();
  t.check("two plans");
  t.half();
  t.check("a plan of the first half");
}

template <class T> void with_other_loops() {
  trial<T> t;
  t.first();
  t.grow();
  t.first();
  t.check("a loop without a list wrote");
  t.second();
  t.twice(async);
  t.check("a loop with two names");
  trial<T> u;
  u.first();
  u.twice(stradsap::consistency::sync);
  u.first();
  u.check("a loop in batches");
}

template <class T> void changed_in_plan_layout() {
  trial<T> t;
  t.change_first();
  t.change_first();
  t.check_sums("changed twice");
  t.check("the driver reads changes in a plan's layout");
  t.change_first();
  t.check("changed in the canonical layout");
  t.change_second();
  t.change_first();
  t.first();
  t.second();
  t.change_second();
  t.first();
  t.check("four plans");
  t.half();
  t.check("the first half");
  trial<T> u;
  u.change_in_order();
  u.change_in_order();
  u.check_sums("in order");
  u.change_first();
  u.change_in_order();
  u.check("in order, too");
  u.fail();
  u.check("after a failure");
  u.change_first();
  u.fail();
  u.change_in_order();
  u.check("after two failures");
}

template <class T> void resized() {
  trial<T> t;
  t.first();
  t.resize(n + 500);
  t.first();
  t.check("larger");
  t.change_first();
  t.resize(n);
  t.change_first();
  t.check("smaller again");
  t.second();
  t.assign(77);
  t.first();
  t.check("assigned");
  t.change_second();
  t.move();
  t.check("moved");
  trial<T> u;
  u.change_first();
  u.forget_many_plans();
  u.check("plans forgotten");
  trial<T> never_asked;
  never_asked.change_first();
}

template <class T> void try_all() {
  read_only<T>();
  with_other_loops<T>();
  changed_in_plan_layout<T>();
  resized<T>();
}

}  // namespace

int main() {
  stradsap::abi::enter_main();
  try_all<long>();
  try_all<std::string>();
  std::printf("wrong=%d\n", wrong);
}

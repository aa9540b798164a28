// Mistakes with the dynamic scheduler, and rare ends of its loops: dynamic KIND.
#include <stradsap/stradsap.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <limits>

using namespace stradsap;

static const auto limited = schedule::dynamic().passes(10);

using consistency::approximate;

/// Loops that name their first iterations, or the containers that count. Returns the updates; 0: none ran.
static int64_t run_chosen(const char* kind, dvector<double>& X) {
  const auto is = [kind](const char* name) { return std::strcmp(kind, name) == 0; };
  const int64_t n = X.size();
  const auto how = schedule::dynamic();
  dvector<double> by_product(n);
  int64_t updates = 0;
  const auto set = [&](int64_t j) {
    X[j] += X[j] < 1 ? 1 : 0;
    by_product[j] += 1;
    updates += 1;
  };
  const auto approach = [&X, &updates](int64_t j) {
    if (j == 5 || j == 80) X[j] += (1 - X[j]) / 2;
    updates += 1;
  };
  if (is("outside"))
    parallel_for(n, approach, approximate, how.begin_with({0, n}));  // the first loop of a body names it
  if (is("before")) parallel_for(n, approach, approximate, how.begin_with({-1}));
  if (is("both")) {
    const auto by_index = how.priority([](int64_t j) { return static_cast<double>(j); });
    parallel_for(n, approach, approximate, by_index.begin_with({3}));
  }
  if (is("other")) parallel_for(n, approach, approximate, how.follow(by_product));
  if (is("by-product")) parallel_for(n, set, approximate, how.follow(X).begin_with({7, 7}).until(0.5));
  if (is("chosen")) parallel_for(n, approach, approximate, how.begin_with({80, 5, 80}).until(1e-6));
  return updates;
}

/// Each element becomes the mean of its neighbours, between 0 and 1 at the ends: Gauss and Seidel. Returns
/// the greatest distance from the solution.
static double solve_with_neighbours(int64_t n, const schedule::dynamic_schedule& how) {
  dvector<double> X(n);
  X[n - 1] = 1;
  const auto body = [n, &X](int64_t j) {
    if (j > 0 && j < n - 1) X[j] = (X[j - 1] + X[j + 1]) / 2;
  };
  parallel_for(n, body, approximate, how.until(1e-7));
  double off = 0;
  for (int64_t j = 0; j < n; ++j)
    off = std::max(off, std::abs(X[j] - static_cast<double>(j) / static_cast<double>(n - 1)));
  return off;
}

/// Changes that double precision loses.
static void lose_changes(dvector<double>& X) {
  const auto n = static_cast<int64_t>(X.size());
  dvector<int64_t> I(n, int64_t{1} << 60);
  const auto ten = [&I](int64_t j) { I[j] += I[j] < (int64_t{1} << 60) + 10 ? 1 : 0; };
  parallel_for(n, ten, approximate, schedule::dynamic().until(0));
  const auto tiny = [&X](int64_t j) { X[j] += X[j] < 1e-169 ? 1e-170 : 0; };
  parallel_for(n, tiny, approximate, schedule::dynamic().until(0));
  const bool grew = X[5] >= 1e-169;
  for (double& x : X) x = 1e200;
  parallel_for(n, [&X](int64_t j) { X[j] *= 0.5; }, approximate, limited);
  std::printf("%d %d %d\n", static_cast<int>(I[5] - (int64_t{1} << 60)), grew ? 1 : 0,
              X[5] == 1e200 / 1024 ? 1 : 0);
}

/// Elements or a container that grow too much.
static void grow(const char* kind, dvector<double>& X) {
  const auto n = static_cast<int64_t>(X.size());
  const auto is = [kind](const char* name) { return std::strcmp(kind, name) == 0; };
  if (is("fast growth")) {
    parallel_for(n, [&X](int64_t j) { X[j] = 1e6 * (1 + X[j]); }, approximate);  // fast growth
  }
  if (is("resizing")) {  // out of sight of stradsap-cc
    const std::function<void()> add = [&X] { X.push_back(1); };
    const auto by_growth = [&add](int64_t j) {
      if (j == 70) add();
      return 1;
    };
    parallel_for(n, [&X](int64_t j) { X[j] = 1; }, approximate, limited.priority(by_growth));  // resizing
  }
}

static void run(const char* kind, int64_t n) {
  dvector<double> X(n);
  dvector<double> Y(2 * n);
  const auto is = [kind](const char* name) { return std::strcmp(kind, name) == 0; };
  if (is("nan") || is("infinite")) {
    const double bad = is("nan") ? std::numeric_limits<double>::quiet_NaN() : HUGE_VAL;
    const auto body = [&X, bad](int64_t j) { X[j] = j == 70 ? bad : 1; };
    parallel_for(n, body, approximate, limited);  // bad
  }
  if (is("was infinite")) {
    X[70] = HUGE_VAL;
    parallel_for(n, [&X](int64_t j) { X[j] = 1; }, approximate, limited);  // was infinite
  }
  if (is("throws")) {
    const auto body = [&X](int64_t j) {
      if (j == 70 && X[j] > 2) throw std::domain_error("above two");
      X[j] += 1;
    };
    parallel_for(n, body, approximate, limited);  // above two
  }
  if (is("unchanged")) {
    parallel_for(n, [&Y](int64_t j) { Y[2 * j] += 1; }, approximate, limited);  // no element
  }
  grow(kind, X);
  if (is("beyond")) {
    parallel_for(2 * n, [&X](int64_t j) { X[j] += 1; }, approximate, limited);  // too short
  }
  if (is("neighbours")) {
    for (const auto& how : {schedule::dynamic(), schedule::dynamic().set_size(8)})
      std::printf("%d\n", solve_with_neighbours(20, how) < 1e-4 ? 1 : 0);
    return;
  }
  if (is("too few")) {
    parallel_for(2 * n, [&X](int64_t j) { X[j] = X[j / 2]; }, approximate, limited);  // too few
  }
  if (const int64_t updates = run_chosen(kind, X)) std::printf("updates=%d\n", static_cast<int>(updates));
  if (is("sync")) parallel_for(n, [&X](int64_t j) { X[j] += 1; }, consistency::sync(8), limited);
  if (is("static")) parallel_for(n, [&X](int64_t j) { X[j] += 1; }, approximate, schedule::static_());
  if (is("nothing")) std::printf("%d\n", static_cast<int>(limited.num_updates(0)));
  if (is("passes")) (void)schedule::dynamic().passes(0);
  if (is("tolerance")) (void)schedule::dynamic().until(std::numeric_limits<double>::quiet_NaN());
  if (is("endless")) parallel_for(n, [&X](int64_t j) { X[j] += 1; }, approximate);
  if (is("separable")) {  // a logistic regression of one weight, by Newton steps
    const auto body = [&X](int64_t j) {
      const double wrong = 1 / (1 + std::exp(X[j]));
      X[j] += 1 / (1 - wrong);
    };
    parallel_for(n, body, approximate, schedule::dynamic().until(1e-6));  // no optimum
  }
  if (is("alternating")) {  // each element flips its sign for ever
    parallel_for(n, [&X](int64_t j) { X[j] = X[j] > 0 ? -1 : 1; }, approximate);  // flips
  }
  if (is("large")) return lose_changes(X);
  double sum = 0;
  for (const double x : X) sum += x;
  std::printf("sum=%g\n", sum);
}

int main(int, char** argv) {
  try {
    run(argv[1], 100);
  } catch (const error& failure) {
    std::printf("%d: %s\n", static_cast<int>(failure.code()), failure.what());
  }
  return 0;
}

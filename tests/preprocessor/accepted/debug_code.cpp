// Debugging left in a body: assertions, checks that throw, counters behind a constant that is off.
#include <cassert>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include <stradsap/stradsap.hpp>

constexpr bool kTrace = false;

struct Trace {
  long visits = 0;
  double largest = 0;
};

static double checked_sqrt(double x) {
  if (!(x >= 0)) throw std::domain_error("negative: " + std::to_string(x));
  return std::sqrt(x);
}

int main() {
  const int n = 400;
  stradsap::dvector<double> x(n), y(n);
  stradsap::async_for(n, [&x](int64_t j) { x[j] = static_cast<double>(j) - 1; });
  Trace trace;
  stradsap::async_for(n, [&](int64_t j) {
    assert(j >= 0 && "an iteration has a number");
    const double before = x[j];  // a local copy
    if constexpr (kTrace) ++trace.visits;
    if (kTrace && before < 0) throw std::logic_error("below zero");
    y[j] = before < 0 ? 0 : checked_sqrt(before);
    if (y[j] > trace.largest) trace.largest = y[j];
  });
  if (trace.largest != std::sqrt(n - 2.0) || trace.visits != 0) return 1;

  try {
    stradsap::async_for(n, [&x, &y](int64_t j) { y[j] = checked_sqrt(x[j]); });
  } catch (const stradsap::loop_error& e) {
    return e.iteration() == 0 && std::string(e.what()).find("negative") != std::string::npos ? 0 : 2;
  }
  return 3;
}

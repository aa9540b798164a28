// Pointers to elements, outside of loops: the other elements are there too, although ranks have parts of the
// containers.
#include <stradsap/stradsap.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

using stradsap::dvector;

[[gnu::noinline]] static double total(const float* x, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += x[i];
  return sum;
}

[[gnu::noinline]] static void fill(float* x, int64_t n, float value) {
  for (int64_t i = 0; i < n; ++i) x[i] = value;
}

static void raise(dvector<float>& x) {
  stradsap::async_for(x.size(), [&x](int64_t i) { x[i] += 1; });
}

/// Each way takes one address after a loop has spread the elements.
static void read(int64_t n) {
  dvector<float> x(n);
  raise(x);
  std::printf("&x[0] %g\n", total(&x[0], n));
  raise(x);
  std::printf("&x.front() %g\n", total(&x.front(), n));
  raise(x);
  std::printf("&x.at(0) %g\n", total(&x.at(0), n));
  raise(x);
  std::printf("const &x[0] %g\n", total(&std::as_const(x)[0], n));
  raise(x);
  std::printf("x.data() %g\n", total(x.data(), n));
  raise(x);
  double sum = 0;
  for (int64_t row = 0; row < n / 100; ++row) sum += total(&x[row * 100], 100);
  std::printf("rows %g\n", sum);
  raise(x);
  float& last = x[n - 1];
  std::printf("backwards %g\n", total(&last - (n - 1), n));
}

static void write(int64_t n) {
  dvector<float> x(n);
  raise(x);
  fill(&x[0], n, 5);
  raise(x);
  std::printf("filled %g\n", total(&x[0], n));
  fill(&x[n / 2], n - n / 2, 1);
  raise(x);
  std::printf("half %g\n", total(&x[0], n));
}

/// The least seconds of some calls.
template <class Call> static double seconds_of(const Call& call) {
  double least = 1e9;
  for (int time = 0; time < 5; ++time) {
    const auto start = std::chrono::steady_clock::now();
    call();
    least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return least;
}

/// After a planned loop, data() costs about as much as [].
static void ask_often(int64_t n) {
  dvector<float> x(n);
  stradsap::async_for(n, [&x, n](int64_t i) { x[i * 7 % n] += 1; });
  stradsap::async_for(n, [&x, n](int64_t i) { x[i * 7 % n] = 2 * x[i * 7 % n]; });
  float sum = 0;
  const double by_data = seconds_of([&] {
    for (int64_t i = 0; i < 1000; ++i) sum += x.data()[i] + *std::as_const(x).begin();
  });
  const double by_subscript = seconds_of([&] {
    for (int64_t i = 0; i < 1000; ++i) sum += x[i] + std::as_const(x)[0];
  });
  std::printf("sum %g, data() is %s\n", sum, by_data < 10 * by_subscript + 1e-5 ? "cheap" : "slow");
}

int main() {
  ask_often(20000);
  read(100000);
  write(100000);
  return 0;
}

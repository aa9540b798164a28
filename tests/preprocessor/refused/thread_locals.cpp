// Variables of a thread: executors are other threads, in other processes.
#include <cstdint>
#include <vector>

#include <stradsap/stradsap.hpp>

thread_local int scratch = 0;
static thread_local std::vector<double> buffer;

static double reuse(double x) {
  thread_local double previous = 0;
  const double result = x - previous;
  previous = x;  // expected-error: the body changes `previous`, and every process has a copy of its own [SAP045]
  return result;
}

int main() {
  stradsap::dvector<double> x(10);
  stradsap::async_for(10, [&x](int64_t j) { x[j] = scratch; });  // expected-error: the body uses the global variable `scratch`, which may differ between processes and cannot be sent with the loop [SAP040]
  stradsap::async_for(10, [&x](int64_t j) { buffer.assign(3, x[j]); });  // expected-error: the body changes `buffer`, and every process has a copy of its own [SAP045]
  stradsap::async_for(10, [&x](int64_t j) { x[j] = reuse(x[j]); });
}

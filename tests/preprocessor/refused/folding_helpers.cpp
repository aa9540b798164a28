// Functions that do more to a captured number than fold into it, and initialisers of captures that change one.
#include <cstdint>

#include <stradsap/stradsap.hpp>

static void add(long& s, int x) { s += x; }
static void halve(long& s) { s /= 2; }
static void limit(long& s, int x) {
  if (s < 9) s += x;  // expected-error: the reduction variable `s` is also read in the body [SAP011]
}
static long& put(long& s, int x) { return s += x; }  // expected-error: the value of an update of the reduction variable `s` is used [SAP012]

int main() {
  long s = 0;
  stradsap::dvector<long> m(600);
  stradsap::async_for(600, [&s](int64_t j) { add(s, static_cast<int>(j)); });
  stradsap::async_for(600, [&s](int64_t j) { add(s, static_cast<int>(j)); halve(s); });  // expected-error: the body changes `s`, which is neither a distributed container nor a reduction [SAP010]
  stradsap::async_for(600, [&s](int64_t j) { limit(s, static_cast<int>(j)); });
  stradsap::async_for(600, [&s, &m](int64_t j) { m[j] = put(s, 1); });
  stradsap::async_for(600, [&s, &m](int64_t j) { add(s, 1); m[j] = s; });  // expected-error: the reduction variable `s` is also read in the body [SAP011]

  int count = 0;
  auto next = [&count] { return ++count; };
  stradsap::async_for(600, [&m, k = next()](int64_t j) { m[j] += k; });  // expected-error: the initialiser of a capture changes `count`, and every process that makes the closure evaluates it [SAP068]
  stradsap::async_for(600, [&m, k = count++](int64_t j) { m[j] += k; });  // expected-error: the initialiser of a capture changes `count`, and every process that makes the closure evaluates it [SAP068]
}

// goto and inline assembly in a body, and what they hide.
#include <cstdint>
#include <vector>

#include <stradsap/stradsap.hpp>

static int spin(int n) {
again:
  if (n > 10) {
    n /= 2;
    goto again;  // expected-error: `goto` in the body of a loop [SAP035]
  }
  return n;
}

int main() {
  stradsap::dvector<int> x(100);
  stradsap::async_for(100, [&x](int64_t j) {
    int k = 0;
  next:
    if (++k < j) goto next;  // expected-error: `goto` in the body of a loop [SAP035]
    x[j] = k;
  });
  stradsap::async_for(100, [](int64_t) { asm volatile("nop"); });  // expected-error: `asm` in the body of a loop [SAP035]
  stradsap::async_for(100, [&x](int64_t j) { x[j] = spin(static_cast<int>(j)); });
}

// goto and inline assembly in a body, jumps of functions that decide which elements a loop touches.
#include <cstdint>
#include <vector>

#include <stradsap/stradsap.hpp>

static int spin(int n) {
again:
  if (n > 10) {
    n /= 2;
    goto again;
  }
  return n;
}

static int computed(int n) {
  void* const places[] = {&&first, &&second};
  goto *places[n % 2];  // expected-error: `goto` in the body of a loop [SAP035]
first:
  n += 1;
second:
  return n;
}

/// Whether the loop touches the element depends on a jump that the loop's own writes decide.
static void skip(stradsap::dvector<int>& x, const stradsap::dvector<int>& at, int64_t j) {
  if (x[at[j]] > 2) goto out;
  x[at[at[j]]] = 1;  // expected-remark: which element is used here depends on data in `x`, which this loop writes
out:;
}
static void back(stradsap::dvector<int>& x, const stradsap::dvector<int>& at, int64_t j) {
again:
  x[at[j]] += 1;  // expected-remark: which element is used here depends on data in `x`, which this loop writes
  j = (j + 1) % 100;
  if (x[at[0]] < 5) goto again;  // expected-remark: which element is used here depends on data in `x`, which this loop writes
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
  stradsap::dvector<int> at(100);
  stradsap::async_for(100, [&x](int64_t j) { x[j] = spin(static_cast<int>(j)) + computed(static_cast<int>(j)); });
  stradsap::async_for(100, [&x, &at](int64_t j) { skip(x, at, j); });
  stradsap::async_for(100, [&x, &at](int64_t j) { back(x, at, j); });
}

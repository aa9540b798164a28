// Numbers that functions fold into by reference, and pointers that pass through one function twice.
#include <algorithm>
#include <cstdint>
#include <utility>

#include <stradsap/stradsap.hpp>

using namespace stradsap;

struct Range {
  int low = 0;
  int high = 0;
};

static void add(long& sum, int x) { sum += x; }
static void add_both(long& sum, long& count, int x) {
  add(sum, x);
  if (x > 3) ++count;
}
template <class Number>
static void widen(Number& high, Number x) { high = std::max(high, x); }
static int* skip(int* p, int n) {
  int* q = p;
  return q + n;
}
static int* skip_more(int* p) { return skip(skip(p, 1), 2); }

int main() {
  long sum = 0, count = 0;
  int high = 0;
  dvector<int> m(600);
  parallel_for(600, [&](int64_t j) {
    add(sum, static_cast<int>(j));
    add_both(sum, count, static_cast<int>(j));
    widen(high, static_cast<int>(j * 7 % 600));
  }, consistency::async);
  if (sum != 2 * (599L * 300) || count != 596 || high != 599) return 1;

  parallel_for(50, [&m](int64_t j) {
    skip(skip(&m[j * 12], 3), 2)[1] += 1;
    skip_more(skip_more(&m[j * 12]))[1] += 2;
    *skip(skip(skip(&m[j * 12], 1), 1), 1) += 3;
  }, consistency::async);
  for (int i = 0; i < 600; ++i) {
    const int at = i % 12;
    if (std::as_const(m)[i] != (at == 6) + 2 * (at == 7) + 3 * (at == 3)) return 2;
  }
  return 0;
}

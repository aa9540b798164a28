// Loops that a macro's definition spells, in whole or in part: the invocation is replaced by its expansion.
#include <cstdint>

#include <stradsap/stradsap.hpp>

using stradsap::dvector;

#define SCALE_ALL(D, factor)                                                        \
  stradsap::parallel_for((D).size(), [factor, &D](int64_t j) { (D)[j] *= factor; }, \
                         stradsap::consistency::async)

#define FOR_EACH(n, captures, index, ...) \
  stradsap::async_for(n, [captures](int64_t index) __VA_ARGS__)

#define FOR_EACH2(n, one, two, index, ...) \
  stradsap::async_for(n, [one, two](int64_t index) __VA_ARGS__)

#define TWICE(loop) \
  do {              \
    loop;           \
    loop;           \
  } while (false)

#define COUNT_INTO(D, total)                                               \
  {                                                                        \
    long stradsap_like = 0;                                                \
    stradsap::async_for((D).size(), [&D, &stradsap_like](int64_t j) {      \
      stradsap_like += (D)[j];                                             \
    });                                                                    \
    total = stradsap_like;                                                 \
  }

int main() {
  constexpr int64_t n = 1000;
  dvector<long> values(n, 3), targets(100);
  const long factor = 2;
  SCALE_ALL(values,
            factor);
  FOR_EACH(n, &values, j, { values[j] += j % 2; });
  FOR_EACH2(n, &values, &targets, k, {
    targets[values[k] * k % 100] += 1;
  });
  TWICE(SCALE_ALL(values, factor));
  long total = 0, touched = 0;
  COUNT_INTO(values, total)
  COUNT_INTO(targets, touched)
  long expected[100] = {}, sum = 0;
  for (int64_t j = 0; j < n; ++j) {
    const long value = 6 + j % 2;
    expected[value * j % 100] += 1;
    sum += 4 * value;
  }
  for (int64_t i = 0; i < 100; ++i) {
    if (targets[i] != expected[i]) return 1;
  }
  return total == sum && touched == n ? 0 : 2;
}

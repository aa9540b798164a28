// Macros: constants in bodies, a lambda as an argument, a whole loop and a body from the definition.
#include <cstdint>
#include <utility>

#include <stradsap/stradsap.hpp>

#define SIZE 256
#define SQUARE(x) ((x) * (x))
#define RUN_ASYNC(n, ...) stradsap::parallel_for(n, __VA_ARGS__, stradsap::consistency::async)
#define FILL(container, value) \
  stradsap::async_for((container).size(), [&container](int64_t j) { (container)[j] = (value); })
#define ADD_AT(container, place) \
  do {                           \
    (container)[place] += 1;     \
  } while (0)

int main() {
  stradsap::dvector<int> x(SIZE), counts(SIZE);
  FILL(x, 3);
  RUN_ASYNC(SIZE, [&x](int64_t j) { x[j] += SQUARE(static_cast<int>(j) % 5); });
  RUN_ASYNC(SIZE, [&x, &counts](int64_t j) {
    if (x[j] > 3) ADD_AT(counts, x[j] * 3 % SIZE);
  });
  int total = 0;
  for (int j = 0; j < SIZE; ++j) {
    if (std::as_const(x)[j] != 3 + SQUARE(j % 5)) return 1;
    total += std::as_const(counts)[j];
  }
  return total == SIZE - (SIZE + 4) / 5 ? 0 : 2;
}

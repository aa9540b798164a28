// Rows through pointers in loops that count a variable of their own up to a bound, once a round at most.
#include <stradsap/stradsap.hpp>

#include <cstddef>
#include <cstdio>
#include <vector>

using namespace stradsap;

static constexpr int n = 120, width = 6;
static int failures = 0;

/// Runs a loop over a container, and the same text over a vector.
#define CHECK(name, ...)                                                          \
  {                                                                               \
    dvector<int> m(n * width + 2);                                                \
    std::vector<int> twin(m.size());                                              \
    for (int i = 0; i < n * width; ++i) m[i] = twin[i] = i * 7 % 11;              \
    for (int j = 0; j < n; ++j) {                                                 \
      int* row = &twin[j * d];                                                    \
      __VA_ARGS__                                                                 \
    }                                                                             \
    async_for(n, [&m, d](int j) {                                                 \
      int* row = &m[j * d];                                                       \
      __VA_ARGS__                                                                 \
    });                                                                           \
    bool same = true;                                                             \
    for (std::size_t i = 0; i < m.size(); ++i) same = same && m[i] == twin[i];    \
    std::printf("%s %s\n", name, same ? "ok" : "WRONG");                          \
    failures += same ? 0 : 1;                                                     \
  }

static void whiles(int d) {
  CHECK("while", int k = 0; while (k < d) { row[k] += k; ++k; })
  CHECK("a second condition", int k = 0; while (k < d && row[k] % 4 != 3) { row[k] += k; k++; })
  CHECK("a condition before", int k = 1; while (row[k - 1] % 4 != 3 && k < d) { row[k] += k; k += 1; })
  CHECK("up to and with", std::size_t k = 0; while (k <= static_cast<std::size_t>(d - 1)) { row[k] += 2; ++k; })
  CHECK("sometimes a step", int k = 0, left = 9; while (k < d && left-- > 0) { row[k] += 1; if (left % 2) ++k; })
  CHECK("a step first", int k = -1; while (k + 1 < d) { ++k; row[k] += 3; })
  CHECK("after the loop", int k = 0; while (k < d - 1) { row[k] *= 2; ++k; } row[k] = 5;)
  CHECK("before the loop", int k = 2; row[k] = 4; while (k < d) { row[k] *= 3; ++k; })
  CHECK("no round", int k = 4; while (k < d - 4) { row[k] += 1; ++k; } row[k] = 8;)
}

static void fors(int d) {
  CHECK("declared before", int k = 1; for (; k < d; ++k) row[k] = row[k - 1] + 2; row[k - 1] += 1;)
  CHECK("a step in the body", for (int k = 0; k < d;) { row[k] += 1; if (k % 2 == 0) row[k] += 3; k += 1; })
  CHECK("pairs", for (int k = 0; k + 1 < d; k += 2) { const int old = row[k]; row[k] = row[k + 1]; row[k + 1] = old; })
  CHECK("pairs in while", int k = 0; while (k + 1 < d) { row[k] += row[k + 1]; row[k + 1] += 2; k += 2; })
  CHECK("pairs and the rest", int k = 0; for (; k + 1 < d - 1; k += 2) { row[k] += 1; row[k + 1] += 2; }
        for (; k < d; ++k) row[k] += 3;)
}

static void pointers(int d) {
  CHECK("a pointer that moves", int k = 0; while (k < d) { *row++ += k; k++; })
  CHECK("a pointer in for", int k = 0; for (; k < d; ++k, ++row) *row += k;)
}

int main() {
  whiles(width);
  fors(width);
  pointers(width);
  return failures;
}

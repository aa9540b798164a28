// Pointers that functions of the standard library return: the end of an algorithm's output, a
// found element, the target of memcpy. Each loop's result is that of the sequential program.
#include <stradsap/stradsap.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <vector>

using namespace stradsap;

static constexpr int rows = 50, dim = 12, n = 3000;
static const int v[4] = {1, 2, 3, 4};
static int failures = 0;

static int pick(int64_t j) { return static_cast<int>(j * 7919 % rows); }

/// `loop` runs on a flat dvector; `step` runs for each iteration on a row of a plain vector.
template <class Loop, class Step> static void compare(const char* what, Loop loop, Step step) {
  dvector<int> m((rows + 1) * dim);
  std::vector<int> plain(m.size());
  for (std::size_t i = 0; i < plain.size(); ++i) m[i] = plain[i] = static_cast<int>(i * 37 % 23);
  loop(m);
  for (int64_t j = 0; j < n; ++j) step(j, &plain[pick(j) * dim]);
  bool same = true;
  for (std::size_t i = 0; i < plain.size(); ++i) same = same && std::as_const(m)[i] == plain[i];
  std::printf("%s %s\n", what, same ? "ok" : "WRONG");
  failures += same ? 0 : 1;
}

// the same text once for the loop, once for the plain program
#define COMPARE(what, ...)                              \
  compare(                                              \
      what,                                             \
      [](dvector<int>& m) {                             \
        parallel_for(n, [&m](int64_t j) {               \
          int* row = &m[pick(j) * dim];                 \
          __VA_ARGS__                                      \
        }, consistency::ordered);                       \
      },                                                \
      []([[maybe_unused]] int64_t j, int* row) { __VA_ARGS__ })

static void ends_of_outputs() {
  COMPARE("fill_n", int* p = std::fill_n(row, 4, 3); p[0] += 1; p[7] += 2;);
  COMPARE("copy", int* p = std::copy(v, v + 4, row); for (int k = 0; k < 8; ++k) p[k] += k;);
  COMPARE("copy_n", int* p = std::copy_n(v, 4, row); p[3] += 1;);
  COMPARE("transform", int* p = std::transform(v, v + 4, row, [](int x) { return x + 1; }); p[3] += 1;);
  COMPARE("transform of two", int* p = std::transform(v, v + 4, v, row, std::plus<>()); p[-1] += 1; p[5] += 1;);
  COMPARE("partial_sum", int* p = std::partial_sum(v, v + 4, row); p[3] += 1;);
  COMPARE("swap_ranges", int w[4] = {1, 2, 3, 4}; int* p = std::swap_ranges(w, w + 4, row); p[2] += 1;);
  COMPARE("copy_if", int* p = std::copy_if(v, v + 4, row, [](int x) { return x % 2 != 0; }); p[3] += 1;);
  COMPARE("fill behind copy", std::fill(std::copy(v, v + 4, row), row + dim, 3 + static_cast<int>(j % 5)););
}

static void blocks_of_bytes() {
  COMPARE("memset", int* p = static_cast<int*>(std::memset(row, 0, 4 * sizeof(int))); for (int k = 0; k < dim; ++k) p[k] += k;);
  COMPARE("memcpy", int* p = static_cast<int*>(std::memcpy(row, v, sizeof v)); p[9] += p[2];);
  COMPARE("memmove", int* p = static_cast<int*>(std::memmove(row + 1, row, 4 * sizeof(int))); p[-1] = 7; p[9] += 1;);
}

static void found_places() {
  COMPARE("find", int* p = std::find(row, row + 4, 3); *p = 7; p[2] += 1;);
  COMPARE("upper_bound", int* p = std::upper_bound(row, row + 4, 3); p[0] += 1; p[5] += 1;);
  COMPARE("remove_if", int* p = std::remove_if(row, row + dim, [](int x) { return x % 3 == 0; }); std::fill(p, row + dim, static_cast<int>(j % 7)););
  COMPARE("partition", for (int* p = std::partition(row, row + dim, [](int x) { return x % 2 != 0; }); p != row + dim; ++p) *p += 3;);
  COMPARE("minmax_element", auto r = std::minmax_element(row, row + 4); *r.second += 1; r.first[5] += 2;);
  COMPARE("bound", const auto [lo, hi] = std::minmax_element(row, row + 4); *lo += 1; hi[5] += 2;);
  COMPARE("equal_range", auto r = std::equal_range(row, row + 4, 3); for (int* p = r.first; p != row + dim; ++p) *p += 1;);
  COMPARE("max_element", *std::max_element(row, row + dim) += 1;);
  COMPARE("its place", row[1] += static_cast<int>(std::max_element(row, row + dim) - row););
  COMPARE("compared", int* p = std::find(row, row + dim, 5); if (p != row + dim) *p += 1;);
}

int main() {
  ends_of_outputs();
  blocks_of_bytes();
  found_places();
  return failures;
}

// Checks before inner loops, of containers in captured objects: in functions, in member functions, and by names that
// only the loop declares.
#include <cstdio>

#include <stradsap/stradsap.hpp>

using stradsap::async_for;
using stradsap::dvector;

static constexpr int n = 40, states = 6;

struct model {
  int size;
  dvector<long> A, start;
};

struct expected_counts {
  dvector<long> A, start;
  void add_start(const model& h, int j) {
    for (int s = 0; s < h.size; ++s) start[s] += h.start[s] * j;
  }
};

static void add(const model& h, int j, expected_counts& counts) {
  const int S = h.size;
  for (int r = 0; r < S; ++r)
    for (int s = 0; s < S; ++s) counts.A[r * S + s] += h.A[r * S + s] * j;
  counts.add_start(h, j);
}

/// Two objects of one class: their text is the same for both.
static void add_both(const model& one, const model& other, int j, expected_counts& counts) {
  for (int s = 0; s < one.size; ++s) counts.start[s] += one.start[s] - other.A[s + other.size] * j;
}

static void add_by_names(const model& h, int j, expected_counts& counts) {
  auto& to = counts;
  for (int s = 0; s < h.size; ++s) to.start[s] += j;
  for (int s = 0; s < h.size; ++s) {
    auto& own = counts;
    const auto& from = h;
    own.start[s] += from.start[s + from.size - states];
  }
}

int main() {
  model h{states, dvector<long>(states * states), dvector<long>(states)};
  for (int i = 0; i < states * states; ++i) h.A[i] = i % 5;
  for (int i = 0; i < states; ++i) h.start[i] = i + 1;
  expected_counts counts{dvector<long>(states * states), dvector<long>(states)};

  async_for(n, [&](int j) { add(h, j, counts); });
  async_for(n, [&](int j) { add_both(h, h, j, counts); });
  async_for(n, [&](int j) { add_by_names(h, j, counts); });
  async_for(n, [&](int j) {
    for (int s = 0; s < states; ++s) {
      auto& own = counts;
      own.start[s] += j;
    }
  });

  long wrong = 0;
  const long all = n * (n - 1) / 2;
  for (int i = 0; i < states * states; ++i) wrong += counts.A[i] != h.A[i] * all;
  for (int s = 0; s < states; ++s)
    wrong += counts.start[s] != h.start[s] * (all + 2 * n) + 2 * all - h.A[s + states] * all;
  std::printf("wrong=%ld\n", wrong);
  return wrong == 0 ? 0 : 1;
}

// Loops in function templates: containers of any element type, instances that differ in their constants, in the kind of
// a callable, in the folded members. Iterations of all instances run side by side.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

template <class T>
static void axpy(T a, const stradsap::dvector<T>& x, stradsap::dvector<T>& y) {
  stradsap::parallel_for(x.size(), [&, a](size_t i) { y[i] += a * x[i]; }, stradsap::consistency::async);
}

template <int N, class T>
static T gather(const stradsap::dvector<std::array<T, N>>& rows, stradsap::dvector<T>& columns) {
  T total{};
  stradsap::parallel_for(rows.size(), [&rows, &columns, &total](int64_t j) {
    for (int k = 0; k < N; ++k) {
      columns[k] += rows[j][k];
      total += rows[j][k];
    }
  }, stradsap::consistency::async);
  return total;
}

template <class... Row>
static bool all_gathered(const Row&... row) {
  stradsap::dvector<long> columns(3);
  stradsap::dvector<std::array<long, 3>> rows{row...};
  return gather<3>(rows, columns) == (0 + ... + (row[0] + row[1] + row[2])) &&
         std::as_const(columns)[1] == (0 + ... + row[1]);
}

// a sum over an inner loop, for each number of steps
template <std::size_t N>
static void lengths(const stradsap::dvector<std::array<double, N>>& rows, stradsap::dvector<double>& squares) {
  stradsap::async_for(rows.size(), [&rows, &squares](int64_t j) {
    double sum = 0;
    for (std::size_t k = 0; k < N; ++k) sum += rows[j][k] * rows[j][k];
    squares[j] = sum;
  });
}

// a lambda in one instance, an object in the next
struct twice {
  long operator()(long v) const { return 2 * v; }
};
template <class Step> static void change(stradsap::dvector<long>& x, Step step) {
  stradsap::async_for(x.size(), [&x, step](int64_t j) { x[j] = step(x[j]); });
}

// the second instance folds members that the first one leaves
struct summary {
  long sum = 0, most = 0, least = 1000;
};
template <bool all> static void summarize(const stradsap::dvector<long>& x, summary& to) {
  stradsap::async_for(x.size(), [&x, &to](int64_t j) {
    to.sum += x[j];
    if constexpr (all) {
      to.most = std::max(to.most, x[j]);
      to.least = std::min(to.least, x[j]);
    }
  });
}

static bool many_kinds() {
  const stradsap::dvector<std::array<double, 3>> short_rows(7, {1, 2, 3});
  const stradsap::dvector<std::array<double, 5>> long_rows(9, {1, 2, 3, 4, 5});
  stradsap::dvector<double> squares(9);
  lengths(short_rows, squares);
  if (std::as_const(squares)[6] != 14) return false;
  lengths(long_rows, squares);
  if (std::as_const(squares)[8] != 55) return false;
  stradsap::dvector<long> x(100, 5);
  const long by = 3;
  change(x, twice{});
  change(x, [by](long v) { return v + by; });
  summary some, all;
  summarize<false>(x, some);
  summarize<true>(x, all);
  return some.sum == 1300 && some.most == 0 && all.sum == 1300 && all.most == 13 && all.least == 13;
}

int main() {
  if (!many_kinds()) return 3;
  stradsap::dvector<float> x(300, 2.f), y(300, 1.f);
  stradsap::dvector<int> p(300, 5), q(300);
  axpy(0.5f, x, y);
  axpy(3, p, q);
  axpy(-1, p, q);
  if (std::as_const(y)[299] != 2.f || std::as_const(q)[17] != 10) return 1;
  return all_gathered(std::array{1L, 2L, 3L}, std::array{4L, 5L, 6L}, std::array{7L, 8L, 9L}) ? 0 : 2;
}

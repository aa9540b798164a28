// Loops in function templates: containers of any element type, instances that differ in their constants.
#include <array>
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

int main() {
  stradsap::dvector<float> x(300, 2.f), y(300, 1.f);
  stradsap::dvector<int> p(300, 5), q(300);
  axpy(0.5f, x, y);
  axpy(3, p, q);
  axpy(-1, p, q);
  if (std::as_const(y)[299] != 2.f || std::as_const(q)[17] != 10) return 1;
  return all_gathered(std::array{1L, 2L, 3L}, std::array{4L, 5L, 6L}, std::array{7L, 8L, 9L}) ? 0 : 2;
}

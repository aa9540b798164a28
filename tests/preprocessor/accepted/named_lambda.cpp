// Lambdas kept in a variable: run in several loops, their captures read when the loop is started.
#include <cstdint>
#include <utility>

#include <stradsap/stradsap.hpp>

int main() {
  const int n = 1000;
  stradsap::dvector<long> x(n), y(n);
  long scale = 2;
  const auto fill = [&x](int64_t j) { x[j] = j; };
  auto grow = [&x, &scale](int64_t j) { x[j] = x[j] * scale + 1; };
  auto spread = [&](int64_t j) { y[j * 7 % n] += x[j] + scale; };

  stradsap::parallel_for(n, fill, stradsap::consistency::async);
  stradsap::parallel_for(n, grow, stradsap::consistency::async);
  scale = 5;
  stradsap::parallel_for(n, grow, stradsap::consistency::async);
  stradsap::async_for(n, spread);
  for (int64_t j = 0; j < n; ++j) {
    const long wanted = (j * 2 + 1) * 5 + 1;
    if (std::as_const(x)[j] != wanted || std::as_const(y)[j * 7 % n] != wanted + 5) return 1;
  }
  return 0;
}

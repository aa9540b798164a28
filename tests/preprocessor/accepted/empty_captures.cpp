// Lambdas before the loop with `[&]` or `[=]` that capture nothing: they have no default constructor.
#include <cstdio>

#include <stradsap/stradsap.hpp>

int main() {
  constexpr int n = 64;
  stradsap::dvector<double> w(n, 1.0);
  const auto halve = [&](stradsap::dvector<double>& all, int at) { all[at] = all[at] * 0.5 + at; };
  const auto next = [=](int j) { return (j + 1) % n; };
  const auto tripled = [](double x) { return x * 3; };
  for (int pass = 0; pass < 3; ++pass) {
    stradsap::async_for(n, [&](int j) {
      halve(w, next(j));
      w[j] = tripled(w[j]);
    });
    stradsap::async_for(n, [next, &w](int j) { w[next(j * 7)] += j; });
  }
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += w[i] * i;
  std::printf("%.17g\n", sum);
}

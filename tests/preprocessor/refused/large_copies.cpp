// Captured objects with copies in the closure, and therefore on stacks.
#include <array>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::consistency::async;

static std::array<double, 4 << 20> weights;
static double table[200][1024];
static std::array<float, 200000> small;

int main() {
  stradsap::dvector<double> X(100);
  const auto& w = weights;
  auto& t = table;
  const auto& s = small;
  std::vector<double> v(10);
  // expected-warning@+1: `w` is captured by value: each thread that runs the loop has a copy of 32 MiB on its stack [-Wstradsap-large-copy] [SAP067]
  stradsap::parallel_for(100, [w, &X](int64_t j) { X[j] = w[j]; }, async);
  // expected-warning@+1: a copy of 1.6 MiB on its stack [-Wstradsap-large-copy] [SAP067]
  stradsap::parallel_for(100, [t, &X](int64_t j) { X[j] = t[j][0]; }, async);
  stradsap::parallel_for(100, [&w, &t, &X](int64_t j) { X[j] = w[j] + t[j][0]; }, async);
  stradsap::parallel_for(100, [s, v, &X](int64_t j) { X[j] = s[j] + v[j % 10]; }, async);
}

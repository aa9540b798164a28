// An ordered loop with products that a compiler may fuse with sums, at places that repeat. Prints the bits of
// the elements.
#include <bit>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <stradsap/stradsap.hpp>

int main() {
  const int n = 1200, width = 405;
  std::vector<int> to(n), from(n);
  std::vector<float> value(n);
  for (int i = 0; i < n; ++i) {
    to[i] = i * 7919 % 8191 % width;
    from[i] = i * 104729 % 8191 % width;
    value[i] = static_cast<float>(i * 31 % 1000) * 0.001f;
  }
  stradsap::dvector<double> b(width, 0.25);
  for (int pass = 0; pass < 5; ++pass) {
    stradsap::parallel_for(
        n, [&](int i) { b[to[i]] = b[to[i]] * 0.999 + value[i] * b[from[i]] * 0.01 + 0.1 * value[i]; },
        stradsap::consistency::ordered);
  }
  uint64_t hash = 0;
  for (const double x : b) hash = (hash ^ std::bit_cast<uint64_t>(x)) * 0x9e3779b97f4a7c15ull;
  std::printf("%016llx\n", static_cast<unsigned long long>(hash));
}

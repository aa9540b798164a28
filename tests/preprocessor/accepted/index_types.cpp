// The index in every integral type, sizes and keys of others, arithmetic that changes sign.
#include <cstddef>
#include <cstdint>
#include <utility>

#include <stradsap/stradsap.hpp>

int main() {
  stradsap::dvector<long> x(200), y(200);
  stradsap::dmap<unsigned short, long> by_key;
  const short small = 100;
  const unsigned long long large = 200;
  stradsap::async_for(small, [&x](short j) { x[j] += j; });
  stradsap::async_for(large, [&x](size_t j) { x[j] += 1; });
  stradsap::async_for(x.size(), [&x](std::uint32_t j) { x[199 - j] += 2; });
  stradsap::async_for(x.size(), [&y](std::ptrdiff_t j) { y[(j - 150 + 200) % 200] += j; });
  stradsap::async_for(200, [&by_key](unsigned j) { by_key[static_cast<unsigned short>(j % 7)] += j; });
  stradsap::async_for(-3, [&x](int j) { x[j] = -1; });
  stradsap::async_for(char{5}, [&x](unsigned char j) { x[j] += 10; });

  long keys[7] = {};
  for (long j = 0; j < 200; ++j) {
    keys[j % 7] += j;
    if (std::as_const(x)[j] != (j < 100 ? j : 0) + 3 + (j < 5 ? 10 : 0)) return 1;
    if (std::as_const(y)[(j + 50) % 200] != j) return 2;
  }
  for (const auto& [key, sum] : std::as_const(by_key)) {
    if (keys[key] != sum) return 3;
  }
  return 0;
}

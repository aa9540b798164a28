// Transactions that change rows behind a condition in an inner loop, and sum them up: the row is named by
// data that the loop writes. Prints a hash of the rows.
#include <cstdint>
#include <cstdio>
#include <cstring>

#include <stradsap/stradsap.hpp>

constexpr int width = 41;

int main() {
  const int n = 4000, rows = 500;
  stradsap::dvector<float> values(rows * width), factors(rows * width);
  stradsap::dvector<int> next(rows);
  for (int r = 0; r < rows; ++r) next[r] = r * 199 % rows;
  for (int k = 0; k < rows * width; ++k) values[k] = 0.001f * (k * 7919LL % 1000);
  for (int k = 0; k < rows * width; ++k) factors[k] = 0.001f * (k * 104729LL % 2000) - 1;
  const float rate = 0.37f;
  for (int pass = 0; pass < 2; ++pass) {
    stradsap::async_for(n, [&](int j) {
      const int row = next[j % rows];
      float sum = 0;
      for (int round = 0; round < 8; ++round) {
        for (int k = 0; k < width; ++k) {
          if (k >= row % (width + 1)) continue;
          values[row * width + k] += rate * factors[row * width + k] * values[row * width + k] * 0.01f;
          sum += values[row * width + k] * factors[row * width + k];
        }
        for (int k = 0; k < width; ++k)
          if (k < row % (width + 1)) values[row * width + k] -= sum * 1e-4f * factors[row * width + k];
      }
      next[j % rows] = (row * 31 + 7) % rows;
    });
  }
  uint64_t hash = 0;
  for (const float x : values) {
    uint32_t bits = 0;
    std::memcpy(&bits, &x, sizeof bits);
    hash = (hash ^ bits) * 1099511628211u;
  }
  std::printf("%016llx\n", static_cast<unsigned long long>(hash));
}

// Rows of which an iteration changes the first columns only, behind a condition in an inner loop over more
// columns. So the elements of all rounds may lie in a window or not. Prints a hash of the rows.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include <stradsap/stradsap.hpp>

constexpr int width = 32, more = width + 9;

int main() {
  const int n = 4000, shared = 500;
  stradsap::dvector<float> rows(n * width + more), factors(n * width + more), sums(shared);
  std::vector<int> row_of(n), columns(n);
  for (int j = 0; j < n; ++j) row_of[j] = j * 1999 % n, columns[j] = j * 5 % (width + 1);
  for (int k = 0; k < n * width + more; ++k) rows[k] = 0.001f * (k * 7919LL % 1000);
  for (int k = 0; k < n * width + more; ++k) factors[k] = 0.001f * (k * 104729LL % 2000) - 1;
  const float rate = 0.37f;
  for (int pass = 0; pass < 2; ++pass) {
    stradsap::async_for(n, [&](int j) {
      const int row = row_of[j] * width;
      float sum = sums[j % shared];
      for (int round = 0; round < 8; ++round) {
        for (int k = 0; k < more; ++k) {
          if (k >= columns[j]) continue;
          rows[row + k] += rate * factors[row + k] * rows[row + k] * 0.01f;
          sum += rows[row + k] * factors[row + k];
        }
        for (int k = 0; k < width; ++k)
          if (k < columns[j]) rows[row + k] -= sum * 1e-4f * factors[row + k];
      }
      sums[j % shared] = sum * 1e-6f;
    });
  }
  uint64_t hash = 0;
  for (const float x : rows) {
    uint32_t bits = 0;
    std::memcpy(&bits, &x, sizeof bits);
    hash = (hash ^ bits) * 1099511628211u;
  }
  std::printf("%016llx\n", static_cast<unsigned long long>(hash));
}

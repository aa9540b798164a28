// Loops that feed each other: aligned results are read at computed places by the next, containers grow between loops.
#include <cstdint>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

int main() {
  stradsap::dvector<long> values(100), doubled, sums(50);
  std::vector<long> plain(100), wanted(50);
  for (int pass = 0; pass < 4; ++pass) {
    const int64_t n = static_cast<int64_t>(values.size());
    doubled.resize(static_cast<size_t>(n));
    stradsap::async_for(n, [&, pass](int64_t j) { values[j] += j * (pass + 1); });
    stradsap::async_for(n, [&](int64_t j) { doubled[n - 1 - j] = 2 * values[j]; });
    stradsap::async_for(n, [&](int64_t j) { sums[doubled[j] % 50] += doubled[(j + 1) % n]; });

    for (int64_t j = 0; j < n; ++j) plain[j] += j * (pass + 1);
    for (int64_t j = 0; j < n; ++j) wanted[2 * plain[n - 1 - j] % 50] += 2 * plain[n - 1 - (j + 1) % n];
    for (int extra = 0; extra < 20; ++extra) {
      values.push_back(extra);
      plain.push_back(extra);
    }
    values[3] = plain[3] = 5;
  }
  for (int i = 0; i < 50; ++i) {
    if (std::as_const(sums)[i] != wanted[i]) return 1;
  }
  return 0;
}

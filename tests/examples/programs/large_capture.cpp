// A captured object of argv[1] bytes, by reference, which a loop on all ranks only reads.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <stradsap/stradsap.hpp>

int main(int, char** arguments) {
  constexpr int64_t rows = 1000, n = 2 * rows;
  std::vector<char> large(std::strtoul(arguments[1], nullptr, 10), 1);
  large.back() = 5;
  stradsap::dvector<long> x(rows);
  stradsap::dvector<int64_t> row(n);
  for (int64_t j = 0; j < n; ++j) row[j] = j * 7 % rows;
  for (int pass = 0; pass < 2; ++pass) {
    stradsap::async_for(n, [&](int64_t j) {
      double work = static_cast<double>(j);  // long enough for two ranks
      for (int k = 0; k < 20000; ++k) work = 0.999 * work + 1;
      x[row[j]] = x[row[j]] + large[large.size() - 1 - j * (large.size() / n)] + (work < 0 ? 1 : 0);
    });
  }
  long sum = 0;
  for (const long one : x) sum += one;
  std::printf("sum=%ld\n", sum);
}

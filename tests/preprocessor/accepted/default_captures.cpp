// [=], [&], and both with exceptions: they capture exactly the variables that the body uses.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::async_for;

int main() {
  const int n = 500;
  int shift = 3;
  const std::string name = "abcd";
  std::vector<int> steps{1, 2, 3};
  double unused_result = 0;
  (void)unused_result;
  stradsap::dvector<long> x(n);
  long sum = 0, longest = 0;

  async_for(n, [=, &x](int64_t j) { x[j] = j + shift + steps[static_cast<size_t>(j) % steps.size()]; });
  async_for(n, [&, shift](int64_t j) { sum += x[j] - shift; });
  async_for(n, [&](int64_t j) { longest = std::max(longest, x[j] + static_cast<long>(name.size())); });
  async_for(n, [=, &sum](int64_t) { sum += shift; });
  shift = 100;
  async_for(n, [&](int64_t j) { x[j] += shift; });

  long wanted = 0;
  for (int64_t j = 0; j < n; ++j) {
    const long value = j + 3 + steps[static_cast<size_t>(j) % 3];
    if (std::as_const(x)[j] != value + 100) return 1;
    wanted += value;
  }
  return sum == wanted && longest == n - 1 + 3 + steps[static_cast<size_t>(n - 1) % 3] + 4 ? 0 : 2;
}

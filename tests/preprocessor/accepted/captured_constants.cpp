// Constants from around a loop: usable in constant expressions. They live as long
// as the body runs if references bind to them, however the body captures them.
#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>

#include <stradsap/stradsap.hpp>

using namespace stradsap;
using consistency::async;

enum level { low, high };

static int wrong = 0;

static void expect(dvector<int64_t>& values, int64_t most) {
  for (int64_t j = 0; j < 200; ++j) {
    if (values[j] != std::min(most, j % 17) + 4 + j) ++wrong;
    values[j] = j;
  }
}

/// Uses more stack than the construction of a body leaves behind.
static int64_t least_of(const int64_t& a, const int64_t& b) {
  volatile int64_t held[64] = {};
  held[a % 64] = b;
  return std::min(a, b) + 0 * held[0];
}

int main() {
  dvector<int64_t> values(200);
  for (int64_t j = 0; j < 200; ++j) values[j] = j;
  const int64_t most = 11;
  constexpr int width = 4;
  const level chosen = high;
  parallel_for(200, [&](int64_t j) {
    const int64_t cut = least_of(most, j % 17);
    std::array<int64_t, width> part{};
    part[j % width] = cut + std::max(width, 1);
    values[j] += part[j % width];
  }, async);
  expect(values, most);
  parallel_for(200, [&values, &most, &width](int64_t j) {
    int64_t part[width] = {};
    const int& size = width;
    const std::remove_cv_t<std::remove_reference_t<decltype(most)>> cut = least_of(most, j % 17);
    part[j % width] = cut + std::max(size, 2);
    values[j] += part[j % width];
  }, async);
  expect(values, most);
  parallel_for(200, [&values, most, width](int64_t j) {
    int64_t part[width] = {};
    part[j % width] = least_of(most, j % 17) + std::max(width, 2);
    values[j] += part[j % width];
  }, async);
  expect(values, most);
  parallel_for(200, [=, &values](int64_t j) {
    int64_t part[width] = {};
    part[j % width] = least_of(most, j % 17) + std::max(width, 2);
    values[j] += part[j % width];
  }, async);
  expect(values, most);
  dvector<int64_t> cuts(12);  // a plan refers to the constant that the body copies
  parallel_for(200, [&cuts, most](int64_t j) { cuts[least_of(most, j % 17)] = most; }, async);
  for (int64_t k = 0; k < 12; ++k) wrong += cuts[k] != most;
  parallel_for(200, [&, more = width + 0 * most](int64_t j) {
    const auto inner = [&] { return least_of(most, j % 17) + std::max(more, int64_t{chosen}); };
    values[(j * 7) % 200] += chosen == high ? 0 : 1;
    if constexpr (chosen == high) values[j] += inner();
  }, async);
  expect(values, most);
  return wrong == 0 ? 0 : 1;
}

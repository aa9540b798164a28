// A body's parameter of few bits: right for few iterations, an error for more than it can count.
#include <cstdint>
#include <string>
#include <utility>

#include <stradsap/stradsap.hpp>

using stradsap::async_for;
using stradsap::dvector;

template <class Loop> static bool throws(const Loop& loop, const std::string& words) {
  try {
    loop();
  } catch (const stradsap::error& e) {
    return e.code() == stradsap::errc::out_of_range && std::string(e.what()).find(words) != std::string::npos;
  }
  return false;
}

int main() {
  dvector<int64_t> x(300);
  int64_t sum = 0;
  for (int64_t i = 0; i < 300; ++i) x[i] = i;
  async_for(256, [&x, &sum](uint8_t j) { sum += x[j]; });
  async_for(2, [&x, &sum](bool j) { sum += x[j]; });
  async_for(128, [&x, &sum](signed char j) noexcept { sum += x[j]; });
  if (sum != 256 * 255 / 2 + 1 + 128 * 127 / 2) return 1;
  if (!throws([&] { async_for(257, [&x, &sum](uint8_t j) { sum += x[j]; }); }, "in 8 bits")) return 2;
  if (!throws([&] { async_for(3, [&x, &sum](bool j) { sum += x[j]; }); }, "in 8 bits")) return 3;
  if (!throws([&] { async_for((int64_t{1} << 31) + 1, [](int) {}); }, "in 32 bits")) return 4;
  return sum == 256 * 255 / 2 + 1 + 128 * 127 / 2 ? 0 : 5;
}

// The runtime clears the upper halves of vector registers, which programs may leave in use.
#include "runtime/base/upper_halves.hpp"
#include "tests/support/catch.hpp"

#if defined(__x86_64__)
#include <cpuid.h>

using namespace stradsap::rt;

/// Whether the processor tells which parts of its registers are in use.
static bool can_ask() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return has_upper_halves && __get_cpuid_count(0xd, 1, &a, &b, &c, &d) != 0 && (a & 4) != 0;
}

static bool are_upper_halves_in_use() {
  unsigned low = 0, high = 0;
  asm volatile(".byte 0x0f, 0x01, 0xd0" : "=a"(low), "=d"(high) : "c"(1));  // xgetbv
  return (low & 4) != 0;
}

static void use_upper_halves() {
  alignas(32) static const float ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  asm volatile("vmovaps %0, %%ymm1" ::"m"(ones) : "xmm1");
}

TEST_CASE("upper halves of vector registers are cleared", "[base]") {
  if (!can_ask()) return;
  use_upper_halves();
  const bool before = are_upper_halves_in_use();
  clear_upper_halves();
  const bool after = are_upper_halves_in_use();
  CHECK(before);
  CHECK_FALSE(after);
}
#endif

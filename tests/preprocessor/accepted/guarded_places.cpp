// Accesses in inner loops that conditions and jumps keep from places beyond a container. A check before the loop
// neither throws nor overflows where the program would not, and stands before no loop that is entered elsewhere.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <vector>

#include <stradsap/stradsap.hpp>

#include "../compared.hpp"

using namespace stradsap;

static constexpr int n = 60, width = 6;

/// Runs the same text over vectors and over containers.
template <class Case> static void compare(const char* name) {
  std::vector<int> plain_out(n * width), plain_in = compared::filled<std::vector<int>>(n * width);
  for (int j = 0; j < n; ++j) Case::run(j, plain_out, plain_in);
  dvector<int> out(n * width), in = compared::filled<dvector<int>>(n * width);
  async_for(n, [&out, &in](int j) { Case::run(j, out, in); });
  bool same = true;
  for (std::size_t i = 0; i < plain_out.size(); ++i) same = same && out[i] == plain_out[i];
  compared::check(name, same);
}

struct neighbours {
  static void run(int j, auto& out, const auto& in) {
    for (int k = j - 4; k <= j + 4; ++k)
      if (k >= 0 && k < n) out[k] += in[j];
    for (int k = j - 4; k <= j + 4; ++k)
      if (k >= 0 && k < n) out[n + static_cast<unsigned>(k)] += in[static_cast<unsigned>(k)];
    for (int k = j - 4; k <= j + 4; ++k)
      if (k >= 0 && k < n) out[2 * n + static_cast<std::size_t>(k)] += in[static_cast<std::size_t>(k)];
  }
};
struct through_the_greatest_number {
  static void run(int j, auto& out, const auto& in) {
    for (uint64_t k = 0; k <= std::numeric_limits<uint64_t>::max(); ++k) {
      if (k >= static_cast<uint64_t>(j % width)) break;
      out[j * width + k] += in[j * width + k];
    }
  }
};
struct products_that_would_overflow {
  static void run(int j, auto& out, const auto& in) {
    for (int g = 0; g < 4; ++g) {
      for (int k = 0; k < width; ++k) {
        if (g >= 1 || k > j % width) continue;
        out[j * width + k] += in[g * 1000000000 + k + j];
      }
    }
  }
};
struct cases_inside_a_loop {
  static void run(int j, auto& out, const auto& in) {
    int m = j % 5, sum = 0;
    switch (j % 3) {
      case 0:
        while (m-- > 0) {
          sum += in[j];
          [[fallthrough]];
          case 1:
            sum += 100;
            [[fallthrough]];
          case 2:
            sum += 1;
        }
    }
    out[j] = sum;
  }
};
#define UNROLLED _Pragma("GCC unroll 4")
struct pragmas {
  static void run(int j, auto& out, const auto& in) {
#pragma GCC unroll 4
    // a comment between them
    for (int k = 0; k < width; ++k)
      if (k <= j) out[j * width + k] += in[k];
    UNROLLED for (int k = 0; k < width; ++k) if (k <= j) out[j * width + k] += in[k + 1];
    UNROLLED /* and */
    for (int k = 0; k < width; ++k) out[j * width + k] += in[k + 2];
#ifndef LEFT_OUT
#pragma GCC unroll 4
#endif
    for (int k = 0; k < width; ++k) out[j * width + k] += in[k + 3];
#ifndef LEFT_OUT
    for (int k = 0; k < width; ++k) out[j * width + k] += in[k + 4];
#endif
    for (int k = 0; k < width; ++k) out[j * width + k] += in[k + 5];
  }
};

int main() {
  compare<neighbours>("neighbours");
  compare<through_the_greatest_number>("through the greatest number");
  compare<products_that_would_overflow>("products that would overflow");
  compare<cases_inside_a_loop>("cases inside a loop");
  compare<pragmas>("pragmas");
  return compared::failures;
}

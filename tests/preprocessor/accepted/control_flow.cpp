// Every statement of the language that a body may hold: loops of all kinds, switch with fall-through, early exits, try.
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

static int collatz(int64_t value) {
  int steps = 0;
  while (value != 1) {
    value = value % 2 == 0 ? value / 2 : 3 * value + 1;
    if (++steps > 500) break;
  }
  return steps;
}

static int parse(const std::string& text) {
  try {
    return std::stoi(text);
  } catch (const std::invalid_argument&) {
    return -1;
  }
}

template <class Out>
static void visit(Out&& out, int64_t j) {
  if (j == 13) return;
  if (const int steps = collatz(j + 1); steps > 100) {
    out[steps % 20] += 1;
  } else if (steps == 7) {
    out[0] += 7;
  }
  switch (j % 6) {
    case 0:
      out[1] += 1;
      [[fallthrough]];
    case 1:
    case 2: {
      const int64_t at = 2 + j % 3;
      out[at] += 2;
      break;
    }
    default:
      for (int k = 0;; k += 2) {
        if (k > j % 9) break;
        if (k == 4) continue;
        out[10 + k] += 1;
      }
  }
  int remaining = static_cast<int>(j % 3);
  do {
    out[5] += 1;
  } while (remaining-- > 0);
  out[7] += parse(j % 10 == 0 ? "none" : std::to_string(j));
}

int main() {
  const int n = 700;
  stradsap::dvector<long> out(20);
  stradsap::async_for(n, [&out](int64_t j) {
    if (j == 13) return;
    if (const int steps = collatz(j + 1); steps > 100) {
      out[steps % 20] += 1;
    } else if (steps == 7) {
      out[0] += 7;
    }
    switch (j % 6) {
      case 0:
        out[1] += 1;
        [[fallthrough]];
      case 1:
      case 2: {
        const int64_t at = 2 + j % 3;
        out[at] += 2;
        break;
      }
      default:
        for (int k = 0;; k += 2) {
          if (k > j % 9) break;
          if (k == 4) continue;
          out[10 + k] += 1;
        }
    }
    int remaining = static_cast<int>(j % 3);
    do {
      out[5] += 1;
    } while (remaining-- > 0);
    try {
      out[7] += std::stoi(j % 10 == 0 ? "none" : std::to_string(j));
    } catch (const std::invalid_argument&) {
      out[7] += -1;
    }
  });
  std::vector<long> expected(20);
  for (int64_t j = 0; j < n; ++j) visit(expected, j);
  for (int i = 0; i < 20; ++i) {
    if (std::as_const(out)[i] != expected[i]) return 1;
  }
  return 0;
}

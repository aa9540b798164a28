// Fields that change where nobody would look: in the destructor of a local object, through a pointer that a lambda
// returns, through a reference that a std::function does. A plan that stands on them is made anew.
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::async_for;
using stradsap::dvector;

struct base {
  int a = 0, b = 0;
};
struct element : base {
  int c = 0;
  base in;
};
struct setter {
  base& target;
  int value;
  ~setter() { target.a = value; }
};

static double doubled(double of) {
  double out = 0;
  const std::function<void(double)> set = [&](double one) { out = 2 * one; };
  set(of);
  return out;
}

constexpr int n = 2000;

int main() {
  dvector<element> at_end(n), returned(n), erased(n);
  dvector<long> first(64), second(64), third(64);
  std::vector<long> expected(64), in_place(64);
  for (int round = 0; round < 4; ++round) {
    async_for(n, [&at_end, round](int64_t j) {
      element& e = at_end[j * 3 % n];
      e.c = 1;
      const setter set{e.in, static_cast<int>(j * round & 63)};
    });
    async_for(n, [&returned, round](int64_t j) {
      element& e = returned[j * 3 % n];
      e.c = 1;
      const auto inner = [p = &e.in] { return p; };
      inner()->a = static_cast<int>(j * round & 63);
    });
    async_for(n, [&erased, round](int64_t j) {
      erased[j].c = 1;
      std::function<int&()> a = [&]() -> int& { return erased[j].in.a; };
      a() = static_cast<int>(j * round & 63);
    });
    async_for(n, [&at_end, &first](int64_t j) { first[at_end[j * 5 % n].in.a] += j; });
    async_for(n, [&erased, &third](int64_t j) { third[erased[j * 5 % n].in.a] += j; });
    async_for(n, [&returned, &second](int64_t j) { second[returned[j * 5 % n].in.a] += j; });
    double greatest = 0;  // a fold, whichever functions change elsewhere
    async_for(n, [&greatest](int64_t j) {
      const double one = doubled(j % 64);
      if (one > greatest) greatest = one;
    });
    if (greatest != 126) return 1;
    std::vector<int> values(n);
    for (int64_t j = 0; j < n; ++j) values[j * 3 % n] = static_cast<int>(j * round & 63);
    for (int64_t j = 0; j < n; ++j) {
      expected[values[j * 5 % n]] += j;
      in_place[(j * 5 % n) * round & 63] += j;
    }
  }
  for (int i = 0; i < 64; ++i) {
    if (std::as_const(first)[i] != expected[i] || std::as_const(second)[i] != expected[i]) return 1;
    if (std::as_const(third)[i] != in_place[i]) return 2;
  }
  return 0;
}

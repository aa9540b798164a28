// Loops that could run as transactions, except for an effect that must not
// happen twice: output, files, clocks, and functions of unknown effect.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iostream>
#include <sstream>

#include <stradsap/stradsap.hpp>

using stradsap::async_for;
using stradsap::dvector;

int unknown(int x);
[[gnu::const]] int stated(int x);
struct shape {
  virtual ~shape() = default;
  virtual int area() const { return 1; }
};
struct square : shape {
  int area() const override { return 4; }
};
static int of(const shape& s) { return s.area(); }  // expected-note: but for a function that only the run knows:
static void note(int x) {
  std::cerr << x;  // expected-note: but for output or input:  // expected-warning: output in the body [SAP060]
}

void outputs(dvector<int>& x) {
  async_for(100, [&x](int64_t j) {
    x[x[j] % 100] = 1;  // expected-error: depends on data in `x`, which this loop writes [SAP053]
    std::printf("%ld\n", j);  // expected-note: but for `printf`:  // expected-warning: output in the body [SAP060]
  });
  async_for(100, [&x](int64_t j) {
    if (x[j] > 0) std::cout << "positive" << j << '\n';  // expected-note: but for output or input:  // expected-warning: output in the body [SAP060]
    x[x[j] % 100] = 1;  // expected-error: depends on data in `x`, which this loop writes [SAP053]
  });
  async_for(100, [&x](int64_t j) {
    x[x[j] % 100] = 1;  // expected-error: depends on data in `x`, which this loop writes [SAP053]
    note(x[j]);
  });
  async_for(100, [&x](int64_t j) {
    std::ofstream file("seen");  // expected-note: but for output or input:
    x[x[j] % 100] = 1;  // expected-error: depends on data in `x`, which this loop writes [SAP053]
  });
  async_for(100, [&x](int64_t j) {
    x[x[j] % 100] = 1;  // expected-error: depends on data in `x`, which this loop writes [SAP053]
    std::fputs("one", stderr);  // expected-note: but for output or input:  // expected-warning: output in the body [SAP060]
  });
}

void unknowns(dvector<int>& x) {
  async_for(100, [&x](int64_t j) {
    x[x[j] % 100] = unknown(2);  // expected-error: depends on data in `x`, which this loop writes [SAP053]  // expected-note: but for `unknown`, of which only the name is known:
  });
  async_for(100, [&x](int64_t j) {
    const square s;
    x[x[j] % 100] = of(s);  // expected-error: depends on data in `x`, which this loop writes [SAP053]
  });
  async_for(100, [&x](int64_t j) {
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();  // expected-note: but for `now`, of which only the name is known:
    x[x[j] % 100] = static_cast<int>(now % 10);  // expected-error: depends on data in `x`, which this loop writes [SAP053]
  });
  async_for(100, [&x](int64_t j) {
    int (*const chosen)(int) = j % 2 == 0 ? unknown : stated;
    x[x[j] % 100] = chosen(1);  // expected-error: depends on data in `x`, which this loop writes [SAP053]  // expected-note: but for a function that only the run knows:
  });
}

/// All of these are harmless.
void accepted(dvector<int>& x) {
  async_for(100, [&x](int64_t j) {
    std::ostringstream text;
    text << "number " << j;
    if (j < 0) __builtin_abort();
    auto draw = stradsap::random(j);
    x[x[j] % 100] = stated(3) + static_cast<int>(text.str().size() + draw.below(3));  // expected-remark: depends on data in `x`, which this loop writes
  });
}

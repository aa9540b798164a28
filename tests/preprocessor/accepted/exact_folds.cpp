// Updates with a result that stays changeable, and folds of mixed types: equal results for every order.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include <stradsap/stradsap.hpp>

using namespace stradsap;
using consistency::async;

constexpr int n = 2000;
constexpr int places = 7;
using cells = dvector<int>;

static int wrong = 0;
static void expect(const char* what, double found, double wanted) {
  if (found == wanted) return;
  std::printf("%s: %g instead of %g\n", what, found, wanted);
  ++wrong;
}
static void wrap(int& x) { x %= 5; }

static void bound_updates() {
  cells a(places), b(places), c(places), d(places), e(places), f(places), g(places), h(places), i(places);
  dmap<int, int> m;
  parallel_for(n, [&a](int64_t j) { auto& r = a[j % places] += 1; r %= 5; }, async);
  parallel_for(n, [&b](int64_t j) { auto&& r = b[j % places] += 1; r %= 5; }, async);
  parallel_for(n, [&c](int64_t j) { if (auto& r = ++c[j % places]; r == 5) r = 0; }, async);
  parallel_for(n, [&d](int64_t j) { wrap(d[j % places] += 1); }, async);
  parallel_for(n, [&e](int64_t j) { (e[j % places] += 1) %= 5; }, async);
  parallel_for(n, [&g](int64_t j) {
    const auto up = [&](int64_t k) -> auto& { return g[k] += 1; };
    up(j % places) %= 5;
  }, async);
  parallel_for(n, [&h](int64_t j) { int& r = (h[j % places] -= 1, h[j % places] += 2); r %= 5; }, async);
  parallel_for(n, [&i](int64_t j) {
    int& r = ++i[j % places];
    [&q = r] { wrap(q); }();
  }, async);
  parallel_for(n, [&f](int64_t j) { for (int& r = ++f[j % places]; r == 5;) r = 0; }, async);
  parallel_for(n, [&m](int64_t j) { auto& r = m[static_cast<int>(j % places)] += 1; r %= 5; }, async);
  parallel_for(n, [&m](int64_t j) { int& r = ++m[static_cast<int>(j % places)]; int& q = r; wrap(q); }, async);
  for (int k = 0; k < places; ++k) {
    const int count = (n - k + places - 1) / places;
    for (const cells* one : {&a, &b, &c, &d, &e, &f, &g, &h, &i}) expect("an update that is bound", (*one)[k], count % 5);
    expect("an update of an entry that is bound", m[k], 2 * count % 5);
  }
}

static int whole(int64_t j) { return static_cast<int>(j * 53 % 97) - 40; }
static double fraction(int64_t j) { return static_cast<double>(j * 37 % 101) / 3 - 9; }

struct ends {
  float largest = 0;
  int cut = -100, least = 50, small_bytes = 0;
  long wide = 0;
  unsigned positive = 7;
  bool odd = false, parity = true, all = true;
  uint8_t sum = 3, product = 1;
  int both = 5, sometimes = 5, never = 5, either = 5, one = 0;
  double truth = 7;
  int branches = 0, guarded = 0;
  __int128 huge = -100;

  void fold(int64_t j) {
    const int v = whole(j);
    const double d = fraction(j);
    const auto byte = static_cast<uint8_t>(v);
    if (d > largest) largest = static_cast<float>(d);
    if (d > cut) cut = static_cast<int>(d);
    if (byte > small_bytes) small_bytes = byte;
    if (v > wide) wide = v;
    if (byte > positive) positive = byte;
    if (d < least) least = static_cast<int>(d);
    odd ^= v & 1;
    parity = parity ^ (v > 4);
    all &= v > -100;
    sum = static_cast<uint8_t>(sum + v);
    product = static_cast<uint8_t>(product * (v | 1));
    both = both && v > -1000;
    if (j > 3) sometimes = sometimes && v < 0;
    if (j > n) never = never && v < 0;
    either = either || v > 1000;
    one = one || v > 30;
    truth = truth && d > 2;
    j % 2 != 0 ? ++branches : --branches;
    if (j % 5 == 0) ++guarded;
    if (v > huge) huge = v;
  }
};

#pragma GCC diagnostic ignored "-Wconversion"
static void types() {
  ends w;
  for (int64_t j = 0; j < n; ++j) w.fold(j);
  ends s;
  parallel_for(n, [&s](int64_t j) {
    const int v = whole(j);
    const double d = fraction(j);
    const auto byte = static_cast<uint8_t>(v);
    if (d > s.largest) s.largest = d;
    if (d > s.cut) s.cut = d;
    if (byte > s.small_bytes) s.small_bytes = byte;
    if (v > s.wide) s.wide = v;
    if (byte > s.positive) s.positive = byte;
    s.odd ^= v & 1;
    s.parity = s.parity ^ (v > 4);
    s.all &= v > -100;
    s.sum += v;
    s.product *= v | 1;
    s.both = s.both && v > -1000;
    if (j > 3) s.sometimes = s.sometimes && v < 0;
    if (j > n) s.never = s.never && v < 0;
    s.either = s.either || v > 1000;
    s.one = s.one || v > 30;
    s.truth = s.truth && d > 2;
    j % 2 != 0 ? ++s.branches : --s.branches;
    j % 5 == 0 && ++s.guarded;
    s.least = std::fmin(s.least, d);
    if (v > s.huge) s.huge = v;
  }, async);
  expect("a float of doubles", s.largest, w.largest);
  expect("an int of doubles", s.cut, w.cut);
  expect("fmin of an int", s.least, w.least);
  expect("an int of bytes", s.small_bytes, w.small_bytes);
  expect("a long of ints", static_cast<double>(s.wide), static_cast<double>(w.wide));
  expect("an unsigned of bytes", s.positive, w.positive);
  expect("^= of a bit", s.odd, w.odd);
  expect("^ of a comparison", s.parity, w.parity);
  expect("&=", s.all, w.all);
  expect("a sum that wraps", s.sum, w.sum);
  expect("a product that wraps", s.product, w.product);
  expect("x && e of a number", s.both, w.both);
  expect("x && e of a number, sometimes", s.sometimes, w.sometimes);
  expect("x && e of a number, never", s.never, w.never);
  expect("x || e of a number", s.either, w.either);
  expect("x || e of a number that becomes true", s.one, w.one);
  expect("x && e of a double", s.truth, w.truth);
  expect("?: of two updates", s.branches, w.branches);
  expect("&& of an update", s.guarded, w.guarded);
  expect("of 128 bits", static_cast<double>(s.huge), static_cast<double>(w.huge));
  int untouched = 5;
  parallel_for(0, [&untouched](int64_t j) { untouched = untouched || whole(j); }, async);
  expect("x || e, no iterations", untouched, 5);
}

static void elements() {
  dvector<uint8_t> sums(5);
  dvector<bool> odd(5);
  dvector<int> largest(5, 3), truth(5, 5);
  dvector<double> rounded(5, 1.00000001);
  parallel_for(n, [&](int64_t j) { sums[j * 3 % 5] += whole(j); }, async);
  parallel_for(n, [&](int64_t j) { odd[j * 3 % 5] ^= whole(j); }, consistency::ordered);
  parallel_for(n, [&](int64_t j) { if (fraction(j) > largest[j * 3 % 5]) largest[j * 3 % 5] = fraction(j); }, async);
  parallel_for(n, [&](int64_t j) { truth[j * 3 % 5] = truth[j * 3 % 5] && whole(j); }, async);
  parallel_for(n, [&](int64_t j) { rounded[j * 3 % 5] = fmaxf(rounded[j * 3 % 5], 0.5f); }, async);
  std::array<uint8_t, 5> wanted_sums{};
  std::array<bool, 5> wanted_odd{};
  std::array<double, 5> most{3, 3, 3, 3, 3};
  std::array<bool, 5> wanted_truth{true, true, true, true, true};
  for (int64_t j = 0; j < n; ++j) {
    const auto k = static_cast<std::size_t>(j * 3 % 5);
    wanted_sums[k] += whole(j);
    wanted_odd[k] ^= whole(j);
    most[k] = std::max(most[k], fraction(j));
    wanted_truth[k] = wanted_truth[k] && whole(j) != 0;
  }
  for (std::size_t k = 0; k < 5; ++k) {
    expect("sums of bytes", sums[k], wanted_sums[k]);
    expect("^= in program order", odd[k], wanted_odd[k]);
    expect("largest, cut off", largest[k], static_cast<int>(most[k]));
    expect("x && e of an element", truth[k], wanted_truth[k]);
    expect("fmaxf of a double", rounded[k], static_cast<double>(1.00000001f));
  }
}

int main() {
  bound_updates();
  types();
  elements();
  std::printf("%d wrong\n", wrong);
  return wrong == 0 ? 0 : 1;
}

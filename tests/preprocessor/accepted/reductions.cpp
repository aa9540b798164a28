// Every form of a reduction, against the same loop written as a plain `for`.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include <stradsap/stradsap.hpp>

using namespace stradsap;

static int wrong = 0;

template <class T> void expect(const char* what, T found, T wanted) {
  if (found == wanted) return;
  std::printf("%s: %g instead of %g\n", what, static_cast<double>(found), static_cast<double>(wanted));
  ++wrong;
}

struct extent {
  double low = 1e300;
  double high = -1e300;
};

struct summary {
  long count = 0;
  extent range;
  std::array<long, 4> by_digit{};
  double unused = 7;
};

static int64_t value_of(int64_t j) { return (j * 7919) % 1009 - 504; }

static void operators(int64_t n, const dvector<int64_t>& values) {
  int64_t sum = 5, difference = 5, steps = 0, spelled = 5, commuted = 1, chained = 0;
  unsigned bits_and = ~0u, bits_or = 0, bits_xor = 1;
  double product = 2;
  bool all_small = true, any_zero = false, spelled_all = true, commuted_any = false;
  bool found = false, found_none = true, no_large = true;
  parallel_for(n, [&](int64_t j) {
    const int64_t v = values[j];
    sum += v;
    difference -= v;
    if (v > 0) ++steps; else steps--;
    spelled = spelled + v;
    commuted = v + commuted;
    chained = chained + v - 1;
    bits_and &= static_cast<unsigned>(v) | 1u;
    bits_or |= static_cast<unsigned>(v);
    bits_xor = bits_xor ^ static_cast<unsigned>(v);
    product *= v % 2 == 0 ? 2.0 : 0.5;
    all_small &= v < 600;
    any_zero |= v == 0;
    spelled_all = spelled_all && v > -600;
    commuted_any = v == 504 || commuted_any;
    if (v == 504) found = true;
    if (v > 600) found_none = false;
    if (v > 500) no_large = false;
  }, consistency::async);

  int64_t total = 0, positive = 0;
  unsigned wanted_and = ~0u, wanted_or = 0, wanted_xor = 1;
  double wanted_product = 2;
  bool zero = false, top = false;
  for (int64_t j = 0; j < n; ++j) {
    const int64_t v = value_of(j);
    total += v;
    positive += v > 0 ? 1 : -1;
    wanted_and &= static_cast<unsigned>(v) | 1u;
    wanted_or |= static_cast<unsigned>(v);
    wanted_xor ^= static_cast<unsigned>(v);
    wanted_product *= v % 2 == 0 ? 2.0 : 0.5;
    zero |= v == 0;
    top |= v == 504;
  }
  expect("+=", sum, 5 + total);
  expect("-=", difference, 5 - total);
  expect("++ and --", steps, positive);
  expect("x = x + e", spelled, 5 + total);
  expect("x = e + x", commuted, 1 + total);
  expect("x = x + a - b", chained, total - n);
  expect("&=", bits_and, wanted_and);
  expect("|=", bits_or, wanted_or);
  expect("^=", bits_xor, wanted_xor);
  expect("*=", product, wanted_product);
  expect("&= of truth", all_small, true);
  expect("|= of truth", any_zero, zero);
  expect("x = x && e", spelled_all, true);
  expect("x = e || x", commuted_any, top);
  expect("x = true", found, top);
  expect("x = false, never", found_none, true);
  expect("x = false", no_large, !top);
}

static void extremes(int64_t n, const dvector<int64_t>& values) {
  int64_t low = 0, high = 0;
  double least = 1e9, most = -INFINITY, by_if = 1e9, by_choice = -1e9, in_block = 1e9;
  int nothing = 3;
  parallel_for(n, [&low, &high, &least, &most, &by_if, &by_choice, &in_block, &nothing, &values](int64_t j) {
    const int64_t v = values[j];
    const double d = static_cast<double>(v) / 8;
    low = std::min(low, v);
    high = std::max(v, high);
    least = std::fmin(least, d);
    most = std::max<double>(most, d);
    if (d < by_if) by_if = d;
    by_choice = by_choice > d ? by_choice : d;
    if (v % 2 == 0 && in_block >= d) {
      in_block = d;
    }
    if (v > 100000) nothing = std::max(nothing, 9);
  }, consistency::async);

  int64_t wanted_low = 0, wanted_high = 0, even = 1 << 30;
  for (int64_t j = 0; j < n; ++j) {
    const int64_t v = value_of(j);
    wanted_low = std::min(wanted_low, v);
    wanted_high = std::max(wanted_high, v);
    if (v % 2 == 0) even = std::min(even, v);
  }
  expect("x = min(x, e)", low, wanted_low);
  expect("x = max(e, x)", high, wanted_high);
  expect("x = fmin(x, e)", least, static_cast<double>(wanted_low) / 8);
  expect("x = max<double>(x, e)", most, static_cast<double>(wanted_high) / 8);
  expect("if (e < x) x = e", by_if, static_cast<double>(wanted_low) / 8);
  expect("x = x > e ? x : e", by_choice, static_cast<double>(wanted_high) / 8);
  expect("if (a && x >= e) x = e", in_block, static_cast<double>(even) / 8);
  expect("a maximum that nothing was folded into", nothing, 3);
}

static void structs(int64_t n, const dvector<int64_t>& values) {
  summary s;
  s.count = 10;
  double histogram[2][3] = {{1, 0, 0}, {0, 0, 0}};
  std::array<extent, 2> extents;
  parallel_for(n, [&s, &histogram, &extents, &values](int64_t j) {
    const int64_t v = values[j];
    ++s.count;
    s.range.low = std::min(s.range.low, static_cast<double>(v));
    if (s.range.high < v) s.range.high = v;
    s.by_digit[j % 4] += v;
    histogram[j % 2][j % 3] += 1;
    extents[j % 2].high = std::max(extents[j % 2].high, static_cast<double>(v));
  }, consistency::async);

  summary wanted;
  double counts[2][3] = {{1, 0, 0}, {0, 0, 0}};
  double highest[2] = {-1e300, -1e300};
  for (int64_t j = 0; j < n; ++j) {
    const double v = static_cast<double>(value_of(j));
    wanted.range.low = std::min(wanted.range.low, v);
    wanted.range.high = std::max(wanted.range.high, v);
    wanted.by_digit[j % 4] += value_of(j);
    counts[j % 2][j % 3] += 1;
    highest[j % 2] = std::max(highest[j % 2], v);
  }
  expect("count of a struct", s.count, 10 + n);
  expect("low of a nested struct", s.range.low, wanted.range.low);
  expect("high of a nested struct", s.range.high, wanted.range.high);
  expect("a member that is not named", s.unused, 7.0);
  for (int i = 0; i < 4; ++i) expect("an array in a struct", s.by_digit[i], wanted.by_digit[i]);
  for (int i = 0; i < 6; ++i) expect("an array of arrays", histogram[i / 3][i % 3], counts[i / 3][i % 3]);
  for (int i = 0; i < 2; ++i) expect("an array of structs", extents[i].high, highest[i]);
  for (int i = 0; i < 2; ++i) expect("its other member", extents[i].low, 1e300);
}

/// 1e8f + 1 is 1e8f: only program order gives the program's result.
static void in_program_order() {
  float total = 1e8f;
  parallel_for(20000, [&total](int64_t) { total += 1; }, consistency::ordered);
  expect("a float in program order", total, 1e8f);
}

static void zeros() {
  double total = -0.0;
  float each[2] = {-0.0f, 0};
  parallel_for(1000, [&total, &each](int64_t j) {
    total += -0.0;
    each[j % 2] -= 0.0f;
  }, consistency::async);
  expect("the sign of a sum that is a zero", std::signbit(total), true);
  expect("the sign of one of several", std::signbit(each[0]), true);
  expect("the sign of the other", std::signbit(each[1]), false);
}

int main() {
  for (const int64_t n : {0, 1, 5000}) {
    dvector<int64_t> values(n);
    for (int64_t j = 0; j < n; ++j) values[j] = value_of(j);
    operators(n, values);
    if (n > 1) extremes(n, values);
    if (n > 1) structs(n, values);
  }
  in_program_order();
  zeros();
  return wrong == 0 ? 0 : 1;
}

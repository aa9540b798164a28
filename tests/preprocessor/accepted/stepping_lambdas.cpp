// Local lambdas that move a captured variable on, which then says which element is touched: found beforehand, in any form.
#include <array>
#include <cstdint>
#include <functional>
#include <utility>

#include <stradsap/stradsap.hpp>

using namespace stradsap;
using consistency::async;

static const int64_t n = 240;
static int64_t hop(int64_t k) { return (k * 7 + 1) % n; }  // no two to the same place
template <class Step>
static void twice(const Step& step) {
  step();
  step();
}

static int wrong = 0;

/// Each element was touched by the iteration from which two hops lead to it.
static void expect(dvector<int64_t>& a) {
  for (int64_t j = 0; j < n; ++j) {
    if (a[hop(hop(j))] != 1000 * j + 3 * (j + 1)) ++wrong;
  }
  for (int64_t j = 0; j < n; ++j) a[hop(hop(j))] = j + 1;
}

static void by_reference(dvector<int64_t>& a, const dvector<int64_t>& next) {
  parallel_for(n, [&](int64_t j) {
    int64_t k = j;
    auto step = [&k] { k = hop(k); };
    step();
    step();
    a[k] = a[k] * 3 + 1000 * j;
  }, async);
  expect(a);
  parallel_for(n, [&](int64_t j) {
    int64_t k = j;
    const auto step = [&k] { k = hop(k); };
    step();
    step();
    a[k] = a[k] * 3 + 1000 * j;
  }, async);
  expect(a);
  parallel_for(n, [&](int64_t j) {
    int64_t k = 0;
    const auto step = [&](int64_t from) { k = (from * 7 + 1) % n; };
    step(j);
    step(k);
    a[k] = a[k] * 3 + 1000 * j;
  }, async);
  expect(a);
  parallel_for(n, [&a, &next](int64_t j) {
    int64_t k = j;
    auto step = [&] { k = next[k]; };
    for (int t = 0; t < 2; ++t) step();
    a[k] = a[k] * 3 + 1000 * j;
  }, async);
  expect(a);
}

static void by_result(dvector<int64_t>& a) {
  parallel_for(n, [&](int64_t j) {
    int64_t k = j;
    auto step = [&k] { return k = hop(k); };
    step();
    auto& x = a[step()];
    x = x * 3 + 1000 * j;
  }, async);
  expect(a);
  parallel_for(n, [&](int64_t j) {
    auto step = [k = j]() mutable { k = hop(k); return k; };
    step();
    const int64_t at = step();
    a[at] = a[at] * 3 + 1000 * j;
  }, async);
  expect(a);
  parallel_for(n, [&](int64_t j) {
    int64_t k = j;
    auto place = [&k]() -> int64_t& { return k; };
    place() = hop(place());
    place() = hop(k);
    a[k] = a[k] * 3 + 1000 * j;
  }, async);
  expect(a);
}

static void through_others(dvector<int64_t>& a) {
  parallel_for(n, [&](int64_t j) {
    int64_t k = j;
    const auto step = [&k] { k = hop(k); };
    twice(step);
    a[k] = a[k] * 3 + 1000 * j;
  }, async);
  expect(a);
  parallel_for(n, [&](int64_t j) {
    int64_t k = j;
    const auto step = [&k](auto by) { k = (k * by + 1) % n; };
    const auto both = [&step] {
      step(7);
      step(7L);
    };
    both();
    a[k] = a[k] * 3 + 1000 * j;
  }, async);
  expect(a);
  parallel_for(n, [&](int64_t j) {
    struct { int64_t at; int64_t hops; } k{j, 0};
    auto step = [&k] { k.at = hop(k.at); ++k.hops; };
    while (k.hops < 2) step();
    a[k.at] = a[k.at] * 3 + 1000 * j;
  }, async);
  expect(a);
  parallel_for(n, [&](int64_t j) {
    std::array<int64_t, 3> k{j};
    int at = 0;
    auto step = [&] { k[at + 1] = hop(k[at]); ++at; };
    step();
    step();
    a[k[2]] = a[k[2]] * 3 + 1000 * j;
  }, async);
  expect(a);
  parallel_for(n, [&](int64_t j) {
    int64_t k = j;
    int64_t* const to = &k;
    auto step = [to] { *to = hop(*to); };
    step();
    if (auto& again = step; j >= 0) again();
    a[k] = a[k] * 3 + 1000 * j;
  }, async);
  expect(a);
}

int main() {
  dvector<int64_t> a(n), next(n);
  for (int64_t j = 0; j < n; ++j) {
    a[hop(hop(j))] = j + 1;
    next[j] = hop(j);
  }
  by_reference(a, next);
  by_result(a);
  through_others(a);
  return wrong == 0 ? 0 : 1;
}

// Functions passed on: by name, as functors, through pointers, std::function and virtual calls. The
// analysis knows their reach from an element's address. Each loop equals the sequential program.
#include <stradsap/stradsap.hpp>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <span>
#include <vector>

using namespace stradsap;

static void poke(int& x) { (&x)[5] += 1; }
static void poke_by(int& x, int64_t j) { (&x)[5] += static_cast<int>(j % 3); }
static void poke_span(std::span<int> s) { s.data()[5] += 1; }
static int& same(int& x) { return x; }

struct poker {
  int by;
  void operator()(int& x) const { at(&x)[4] += by; }
  static int* at(int* p) { return p + 1; }
};

struct base {
  virtual ~base() = default;
  virtual void go(int& x) const = 0;
};
struct derived final : base {
  void go(int& x) const override { (&x)[5] += 1; }
};

template <class Function> static void each(std::span<int> s, Function function) {
  for (int& x : s) function(x);
}

static int failures = 0;

static constexpr int64_t n = 3000;
static constexpr int rows = 50;

static void check(const char* what, const dvector<int>& m, uint64_t wanted) {
  uint64_t hash = 1;
  for (const int x : m) hash = hash * 31 + static_cast<uint64_t>(x);
  if (hash == wanted) return;
  std::printf("%s: 0x%016llx\n", what, static_cast<unsigned long long>(hash));
  ++failures;
}

static std::vector<int> picked() {
  std::vector<int> all(n);
  for (int64_t j = 0; j < n; ++j) all[j] = static_cast<int>(j * 7919 % rows);
  return all;
}

static void algorithms(int dim) {
  const std::vector<int> pick = picked();
  dvector<int> m(rows * dim);
  parallel_for(n, [dim, &pick, &m](int64_t j) {
    auto s = m.span(pick[j] * dim, 3);
    std::for_each(s.begin(), s.end(), poke);
    std::for_each(s.begin(), s.end(), poker{2});
    std::for_each_n(s.begin(), 3, [j](int& x) { poke_by(x, j); });
    std::ranges::for_each(m.span(pick[j] * dim, 3), poke);
  }, consistency::async);
  check("algorithms", m, 0x718e85b5bdcf8e99);
  parallel_for(n, [dim, &pick, &m](int64_t j) {
    auto s = m.span(pick[j] * dim, 3);
    std::sort(s.begin(), s.end(), std::greater<>{});
    each(s, poke);
    each(s, [](int& x) { x += 1; });
  }, consistency::ordered);
  check("templates of the user's", m, 0x871e5346df1c0199);
}

static void calls(int dim) {
  const std::vector<int> pick = picked();
  dvector<int> m(rows * dim);
  parallel_for(n, [dim, &pick, &m](int64_t j) {
    std::invoke(poke, m[pick[j] * dim]);
    std::bind_front(poke_by)(m[pick[j] * dim + 1], 2);
  }, consistency::async);
  check("std::invoke", m, 0x0d59e8c151b3bf49);
  parallel_for(n, [dim, &pick, &m](int64_t j) {
    void (*f)(int&) = poke;
    f(m[pick[j] * dim]);
    int& (*g)(int&) = same;
    (&g(m[pick[j] * dim]))[2] += 1;
    void (*h)(std::span<int>) = poke_span;
    h(m.span(pick[j] * dim + 2, 3));
  }, consistency::async);
  check("pointers to functions", m, 0x755ae3cbe5a2aa01);
  parallel_for(n, [dim, &pick, &m](int64_t j) {
    const std::function<void(int&)> f = [](int& x) { (&x)[3] += 1; };
    f(m[pick[j] * dim]);
    const std::function<void(std::span<int>)> g = poke_span;
    g(m.span(pick[j] * dim, 3));
  }, consistency::async);
  check("std::function", m, 0x3426c5eef623cb71);
  parallel_for(n, [dim, &pick, &m](int64_t j) {
    const derived d;
    const base& b = d;
    b.go(m[pick[j] * dim]);
  }, consistency::async);
  check("a virtual function", m, 0x9c2231f1a8b7e329);
}

int main() {
  algorithms(12);
  calls(12);
  return failures;
}

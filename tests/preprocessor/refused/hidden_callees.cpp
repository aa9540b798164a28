// A global that a body changes without a call in sight: in conversions, comparisons, iterators, literals, templates, deleters.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <stradsap/stradsap.hpp>

static int total = 0;

struct Converted {
  operator int() const { return ++total; }  // expected-error: the body changes `total`, and every process has a copy of its own [SAP045]
};
struct Less {
  bool operator()(int a, int b) const { return ++total, a < b; }  // expected-error: the body changes `total`, and every process has a copy of its own [SAP045]
};
struct Built {
  int v;
  explicit Built(int x) : v(x + ++total) {}  // expected-error: the body changes `total`, and every process has a copy of its own [SAP045]
};
struct Stepping {
  int i;
  Stepping& operator++() { return ++total, ++i, *this; }  // expected-error: the body changes `total`, and every process has a copy of its own [SAP045]
  int operator*() const { return i; }
  bool operator!=(const Stepping& other) const { return i != other.i; }
};
struct Range {
  Stepping begin() const { return {0}; }
  Stepping end() const { return {3}; }
};
template <class T>
struct Ids {
  static inline int last = 0;
  static int next() { return ++last; }  // expected-error: the body changes `last`, and every process has a copy of its own [SAP045]
};
template <int& Number>
static int bump() { return ++Number; }  // expected-error: the body changes `total`, and every process has a copy of its own [SAP045]
static int operator""_id(unsigned long long) { return ++total; }  // expected-error: the body changes `total`, and every process has a copy of its own [SAP045]
static int step() { return ++total; }  // expected-error: the body changes `total`, and every process has a copy of its own [SAP045]

int main() {
  stradsap::dvector<int> x(10);
  stradsap::async_for(10, [&x](int64_t j) { x[j] = Converted{}; });
  stradsap::async_for(10, [&x](int64_t j) { std::vector<int> v{3, 1}; std::sort(v.begin(), v.end(), Less{}); x[j] = v[0]; });
  stradsap::async_for(10, [&x](int64_t j) { std::vector<Built> v; v.emplace_back(3); x[j] = v[0].v; });
  stradsap::async_for(10, [&x](int64_t j) { for (const int i : Range{}) x[j] += i; });
  stradsap::async_for(10, [&x](int64_t j) { x[j] = Ids<int>::next(); });
  stradsap::async_for(10, [&x](int64_t j) { x[j] = bump<total>(); });
  stradsap::async_for(10, [&x](int64_t j) { x[j] = 3_id; });
  stradsap::async_for(10, [&x](int64_t j) { std::vector<int> v(3); std::generate(v.begin(), v.end(), step); x[j] = v[0]; });
  stradsap::async_for(10, [&x](int64_t j) { const std::shared_ptr<int> s(new int(1), [](int* p) { ++total; delete p; }); x[j] = *s; });  // expected-error: the body changes `total`, and every process has a copy of its own [SAP045]
}

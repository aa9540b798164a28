// One container or variable under two names: a capture and a global in a called function, or two captures.
#include <cstdint>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::async_for;
using stradsap::dmap;
using stradsap::dvector;

dvector<long> x(100);
namespace space {
dmap<int, long> counts;
dvector<long> w(100);
}  // namespace space
struct model {
  static dvector<long> w;
};
struct world {
  dvector<long> heights;
  long steps = 0;
  long rate = 2;
};
struct numbers {
  long seen = 0;
};
world earth;
numbers all;
long total = 0;

static void bump(int64_t j) { x[j] += 1; }  // expected-error: the body uses the container `x` without capturing it [SAP041] // expected-note: capture a reference to it: `&x = x`, and pass it to `bump` as an argument
static void bump_again(int64_t j) { bump(j); }
static void count(int j) { space::counts[j] += 1; }  // expected-error: the body uses the container `counts` without capturing it [SAP041] // expected-note: capture a reference to it: `&c = space::counts`, and pass it to `count` as an argument
static long look(int64_t j) { return model::w[j]; }  // expected-error: the body uses the container `w` without capturing it [SAP041]
static long height(int64_t j) { return earth.heights[j]; }  // expected-error: the body uses the container `heights` without capturing it [SAP041] // expected-note: capture a reference to it: `&heights = earth.heights`, and pass it to `height` as an argument
static void add(long v) { total += v; }  // expected-error: the body changes `total`, and every process has a copy of its own [SAP045]
static long so_far() { return total; }  // expected-error: the reduction variable `total` is also read in the body [SAP011]
static bool has_seen() { return all.seen > 3; }  // expected-error: the reduction variable `all` is also read in the body [SAP011]
static long (*const reader)(int64_t) = look;

int main() {
  async_for(100, [&x = x](int64_t j) { x[j] += 1; bump_again(j * 7 % 100); });
  async_for(100, [&y = x](int64_t j) { y[j] += ::x[j]; });  // expected-error: the body uses the container `x` without capturing it [SAP041] // expected-note: capture a reference to it: `&y = ::x`, and use that alone
  async_for(100, [&c = space::counts](int64_t j) { c[static_cast<int>(j)] += 1; count(3); });
  async_for(100, [&w = model::w](int64_t j) { w[j] = reader(j / 2); });
  async_for(100, [&h = earth.heights](int64_t j) { h[j] = height(j / 2); });
  async_for(100, [&t = total](int64_t) { t += 1; add(2); });
  async_for(100, [&t = total, &y = x](int64_t j) { t += 1; y[j] = so_far(); });
  async_for(100, [&seen = all.seen](int64_t) { if (!has_seen()) seen += 1; });
  const auto before = [] { x[0] = 1; };  // expected-error: the body uses the container `x` without capturing it [SAP041] // expected-note: capture a reference to it: `&y = x`, and pass it to the lambda as an argument
  async_for(100, [&y = x, before](int64_t j) { y[j] = 1; before(); });
  // two captures
  auto& same = x;
  dvector<long> local(100);
  auto& again = local;
  std::vector<dvector<long>> layers(3);
  async_for(100, [&local, &again](int64_t j) { local[j] = again[j / 2]; });  // expected-error: `local` and `again` are one container, which the loop writes [SAP048]
  async_for(100, [&y = x, &same](int64_t j) { y[j] = same[j / 2]; });  // expected-error: `x` and `same` are one container, which the loop writes [SAP048]
  async_for(100, [&a = space::w, &b = space::w](int64_t j) { a[j] = b[j / 2]; });  // expected-error: `a` and `b` are one container, which the loop writes [SAP048]
  async_for(100, [&a = layers[1], &b = layers[1]](int64_t j) { a[j] = b[j / 2]; });  // expected-error: `a` and `b` are one container, which the loop writes [SAP048]
  // right: one parameter, and two names that are only read
  async_for(100, [&local, &again = local](int64_t j) { local[j] += again[j * 7 % 100]; });
  long sum = 0;
  async_for(100, [&local, &again, &sum](int64_t j) { sum += local[j] * again[j / 2]; });
}

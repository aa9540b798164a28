// Global variables that the body uses without naming them, and constants that are none.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::dvector;
using stradsap::parallel_for;
namespace consistency = stradsap::consistency;

thread_local int g = 1;  // cannot travel, so each use that is found is reported

struct compared {
  int v;
  bool operator<(const compared& o) const { return g == 2 ? o.v < v : v < o.v; }  // expected-error: global variable `g` [SAP040]
};
struct defaulted {
  int v = g;  // expected-error: global variable `g`
};
struct plain_class {
  int v = g;  // expected-error: global variable `g`
  int w = 0;
  plain_class() = default;
};
static int with_default(int x = g) { return x; }  // expected-error: global variable `g`
static int called_by_pointer(int x) { return x * g; }  // expected-error: global variable `g`
static int passed_on(int x) { return x * g; }  // expected-error: global variable `g`
constexpr int (*pointer)(int) = &called_by_pointer;
struct leaves {
  int& out;
  explicit leaves(int& o) : out(o) {}
  ~leaves() { out = g; }  // expected-error: global variable `g`
};
struct leaves_later {
  leaves part;
};
struct forgotten {
  int v = 0;
  ~forgotten() { v = g; }  // expected-error: global variable `g`
};
struct base {
  int v;
  base() : v(g) {}  // expected-error: global variable `g`
  explicit base(int x) : v(x * g) {}  // expected-error: global variable `g`
};
struct derived : base {
  using base::base;
};
struct ordering {
  bool operator()(int a, int b) const { return a * g < b * g; }  // expected-error: global variable `g` // expected-error: global variable `g`
};
struct copied {
  int v = 0;
  copied() = default;
  copied(const copied& o) : v(o.v * g) {}  // expected-error: global variable `g`
};
struct holds_copied {
  copied part;
};

// not constant
const int& alias = g;
struct points {
  int* p;
};
const points pointing{&g};
struct tuned {
  int a = 1;
  mutable int m = 1;
};
const tuned settings;
const auto owned = std::make_unique<int>(1);
int shared = 1;
constexpr int* address = &shared;
// constant
constexpr int fixed = 3;
const int& fixed_alias = fixed;
const std::string name = "name";
const std::vector<int> weights{1, 2, 3};
constexpr std::string_view words[] = {"a", "bc"};
const char* const letters[] = {"a", "bc"};
constexpr int (*clean)(int, int) = [](int a, int b) { return a + b; };

const unsigned drawn = std::random_device{}();
static int first_of(int x) {
  static const int first = x;
  return first;  // expected-error: static variable `first`, which may differ between processes [SAP044]
}

int main() {
  const int n = 10;
  dvector<int> D(n);
  parallel_for(n, [&D](int64_t j) { D[j] = std::max(compared{1}, compared{D[j]}).v; }, consistency::async);
  parallel_for(n, [&D](int64_t j) { D[j] = defaulted{}.v; }, consistency::async);
  parallel_for(n, [&D](int64_t j) { plain_class p; D[j] = p.v + p.w; }, consistency::async);
  parallel_for(n, [&D](int64_t j) { D[j] = with_default(); }, consistency::async);
  parallel_for(n, [&D](int64_t j) { D[j] = pointer(2); }, consistency::async);
  parallel_for(n, [&D](int64_t j) { int v[] = {1}; std::transform(v, v + 1, v, passed_on); D[j] = v[0]; }, consistency::async);
  parallel_for(n, [&D](int64_t j) { int v = 0; { leaves_later l{leaves(v)}; } D[j] = v; }, consistency::async);
  parallel_for(n, [&D](int64_t j) { std::vector<forgotten> v(2); D[j] = v[0].v; }, consistency::async);
  parallel_for(n, [&D](int64_t j) { D[j] = derived().v + derived(3).v; }, consistency::async);
  parallel_for(n, [&D](int64_t j) { std::set<int, ordering> s{1, 2}; D[j] = *s.begin(); }, consistency::async);
  parallel_for(n, [&D](int64_t j) { const holds_copied a; const holds_copied b = a; D[j] = b.part.v; }, consistency::async);

  parallel_for(n, [&D](int64_t j) { D[j] = alias; }, consistency::async);  // expected-error: global variable `alias` [SAP040]
  parallel_for(n, [&D](int64_t j) { D[j] = *pointing.p; }, consistency::async);  // expected-error: global variable `pointing`
  parallel_for(n, [&D](int64_t j) { D[j] = settings.m; }, consistency::async);  // expected-error: global variable `settings`
  parallel_for(n, [&D](int64_t j) { D[j] = *owned; }, consistency::async);  // expected-error: global variable `owned`
  parallel_for(n, [&D](int64_t j) { D[j] = *address; }, consistency::async);  // expected-error: global variable `address`
  constexpr const int* local_address = &shared;
  parallel_for(n, [&D](int64_t j) { D[j] = *local_address; }, consistency::async);  // expected-error: `local_address` is a raw pointer
  parallel_for(n, [&D](int64_t j) { D[j] = static_cast<int>(drawn); }, consistency::async);  // expected-error: global variable `drawn`
  parallel_for(n, [&D](int64_t j) { D[j] = first_of(static_cast<int>(j)); }, consistency::async);
  parallel_for(n, [&D](int64_t j) {
    D[j] = fixed_alias + static_cast<int>(name.size() + words[j % 2].size()) + weights[j % 3] + *letters[j % 2];
    D[j] += clean(1, 2);
  }, consistency::async);
}

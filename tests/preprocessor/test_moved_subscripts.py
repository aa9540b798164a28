"""Subscripts that change between two accesses of an iteration, in many forms of C++.

A place that is taken for steady, and is not, gives a wrong element without a word.
"""

from driver_case import DriverCase, main

HEAD = """#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <sstream>
#include <stradsap/stradsap.hpp>
#include <tuple>
#include <utility>
#include <vector>
constexpr int N = 600, M = 64;
static unsigned bump(unsigned x) { return x * 3 + 1; }
static std::vector<int> table() {
  std::vector<int> made(N);
  for (int i = 0; i < N; ++i) made[i] = i * 7919 % M;
  return made;
}
static void compare(const char* name, const auto& plain, const auto& found) {
  if (!std::equal(plain.begin(), plain.end(), found.begin())) std::puts(name);
}
"""
WAY = """
static void way%(number)d() {
  const std::vector<int> T = table();
  std::vector<unsigned> changed(M, 1), read(N), weights(M);
  std::iota(weights.begin(), weights.end(), 5);
  {
    auto &X = changed, &Y = read;
    for (int64_t j = 0; j < N; ++j) { %(change)s }
    const auto& W = weights;
    for (int64_t j = 0; j < N; ++j) { %(read)s }
  }
  stradsap::dvector<unsigned> X(M, 1), Y(N), W(M);
  std::iota(W.begin(), W.end(), 5);
  stradsap::async_for(N, [&](int64_t j) { %(change)s });
  stradsap::async_for(N, [&](int64_t j) { %(read)s });
  compare("changed at %(number)d", changed, X);
  compare("read at %(number)d", read, Y);
}
"""
WAYS = (  # code before an inner loop, the subscript, and code that changes it
    ("int k = T[j]; int& r = k;", "k", "r = (r + 3) % M;"),
    ("int k = T[j]; int& r = k;", "r", "k = (k + 3) % M;"),
    ("int k = T[j]; int* p = &k;", "k", "*p = (*p + 3) % M;"),
    ("int k = T[j]; int* p = &k;", "*p", "k = (k + 3) % M;"),
    ("int k = T[j]; int* p = &k; int** q = &p;", "k", "**q = (**q + 3) % M;"),
    ("int k = T[j]; auto f = [&] { k = (k + 3) % M; };", "k", "f();"),
    ("int k = T[j]; auto f = [](auto& x) { x = (x + 3) % M; };", "k", "f(k);"),
    ("int k = T[j]; std::function<void()> f = [&] { k = (k + 3) % M; };", "k", "f();"),
    ("int k = T[j]; std::function<void(int&)> f = [](int& x) { x = (x + 3) % M; };", "k", "f(k);"),
    ("int k = T[j]; void (*f)(int&) = [](int& x) { x = (x + 3) % M; };", "k", "f(k);"),
    ("int k = T[j]; struct g { int& k; ~g() { k = (k + 3) % M; } };", "k", "g{k};"),
    ("int k = T[j]; struct g { int& k; ~g() { k = (k + 3) % M; } };", "k", "{ g h{k}; }"),
    ("int k = T[j]; struct g { g(int& k) { k = (k + 3) % M; } };", "k", "g h(k);"),
    ("struct g { mutable int k; operator int() const { k = (k + 3) % M; return k; } }; const g h{T[j]};",
     "h.k", "int z = h; (void)z;"),
    ("struct g { int k; g& operator++() { k = (k + 3) % M; return *this; } }; g h{T[j]};", "h.k", "++h;"),
    ("struct g { int k; }; struct s { g& o; const s& operator<<(int d) const { o.k = (o.k + d) % M; return *this; } }; g h{T[j]}; const s o{h};",
     "h.k", "o << 3;"),
    ("union u { int a; unsigned b; } h; h.a = T[j];", "h.a", "h.b = (h.b + 3) % M;"),
    ("int a[2] = {T[j], 0}; int* p = a;", "a[0]", "*p = (*p + 3) % M;"),
    ("int a[2] = {T[j], 0};", "a[0]", "for (int& e : a) e = (e + 3) % M;"),
    ("std::array<int, 2> a{T[j], 0};", "a[0]", "std::get<0>(a) = (std::get<0>(a) + 3) % M;"),
    ("std::array<int, 2> a{T[j], 0};",
     "a[0]", "std::transform(a.begin(), a.end(), a.begin(), [](int x) { return (x + 3) % M; });"),
    ("std::vector<int> a{T[j], 0};", "a[0]", "*a.begin() = (a.front() + 3) % M;"),
    ("std::vector<int> a{T[j], 0}; std::span<int> s(a);", "a[0]", "s[0] = (s[0] + 3) % M;"),
    ("std::vector<int> a{T[j], 0}; std::span s(a.data(), 2);", "a[0]", "s[0] = (s[0] + 3) % M;"),
    ("int a[2] = {T[j], 0}; std::span s(&a[0], 2);", "a[0]", "s[0] = (s[0] + 3) % M;"),
    ("int a[2] = {T[j], 0}; std::optional<std::span<int>> s = std::span<int>(a);",
     "a[0]", "(*s)[0] = ((*s)[0] + 3) % M;"),
    ("std::tuple<int, int> a{T[j], 0};", "std::get<0>(a)", "auto& [x, y] = a; x = (x + 3) % M;"),
    ("int k = T[j], l = 0;", "k", "std::tie(k, l) = std::make_pair((k + 3) % M, 1);"),
    ("struct g { int k, l; } h{T[j], 0}; auto& [x, y] = h;", "h.k", "x = (x + 3) % M;"),
    ("struct g { int k, l; } h{T[j], 0}; auto& [x, y] = h;", "x", "h.k = (h.k + 3) % M;"),
    ("std::pair<int, int> h{T[j], 0}; auto& [x, y] = h;", "h.first", "x = (x + 3) % M;"),
    ("struct b { int k; }; struct d : b {} h; h.k = T[j]; b& r = h;", "h.k", "r.k = (r.k + 3) % M;"),
    ("struct b { int k; void n() { k = (k + 3) % M; } }; struct d : b {} h; h.k = T[j]; b& r = h;", "h.k", "r.n();"),
    ("int k = T[j], l = 5;", "k", "std::swap(k, l);"),
    ("int k = T[j];", "k", "std::exchange(k, (k + 3) % M);"),
    ("int k = T[j];", "k", "int z = (k + 3) % M; std::memcpy(&k, &z, sizeof k);"),
    ("int k = T[j];", "k", 'std::sscanf("7", "%d", &k);'),
    ('int k = T[j]; std::istringstream s("7 9 11 13 15 17");', "k", "s >> k;"),
    ("struct g { int k; void n() { k = (k + 3) % M; } } h{T[j]}; auto m = &g::n;", "h.k", "(h.*m)();"),
    ("struct g { int k; } h{T[j]}; int g::* m = &g::k;", "h.k", "h.*m = (h.*m + 3) % M;"),
    ("struct g { int k; void n() { k = (k + 3) % M; } } h{T[j]};", "h.k", "std::invoke(&g::n, h);"),
    ("int k = T[j]; auto r = std::ref(k);", "k", "r.get() = (k + 3) % M;"),
    ("int k = T[j]; std::reference_wrapper<int> r(k);", "k", "int& q = r; q = (q + 3) % M;"),
    ("auto p = std::make_unique<int>(T[j]);", "*p", "*p = (*p + 3) % M;"),
    ("auto p = std::make_shared<int>(T[j]); auto q = p;", "*p", "*q = (*q + 3) % M;"),
    ("struct b { virtual void n() = 0; virtual ~b() = default; }; struct d : b { int k; void n() override { k = (k + 3) % M; } } h; h.k = T[j]; b& r = h;",
     "h.k", "r.n();"),
    ("struct b { virtual void n() const = 0; virtual ~b() = default; }; struct d : b { int& k; d(int& q) : k(q) {} void n() const override { k = (k + 3) % M; } }; int k = T[j]; d h(k); const b& r = h;",
     "k", "r.n();"),
    ("struct b { virtual void n() const = 0; virtual ~b() = default; }; struct d : b { mutable int k; void n() const override { k = (k + 3) % M; } }; auto h = std::make_unique<d>(); h->k = T[j]; const b* r = h.get();",
     "h->k", "r->n();"),
    ("struct b { virtual void n() const {} virtual ~b() = default; }; struct d : b { mutable int k; void n() const override { k = (k + 3) % M; } } h; h.k = T[j];",
     "h.k", "static_cast<const b&>(h).n();"),
    ("struct i { mutable int k; }; struct g { i in; void n() const { in.k = (in.k + 3) % M; } }; const g h{{T[j]}};",
     "h.in.k", "h.n();"),
    ("int k = T[j];", "k", "if (t > 0 && (k = (k + 3) % M)) {}"),
    ("int k = T[j];", "k", "t > 0 ? k = (k + 3) % M : 0;"),
    ("int k = T[j], z = 0;", "k", "z = (k = (k + 3) % M, 1); (void)z;"),
    ("int k = T[j]; std::array<int, 1> a;", "k", "std::generate(a.begin(), a.end(), [&] { return k = (k + 3) % M; });"),
    ("int k = T[j]; std::array<int, 1> a{3};",
     "k", "std::for_each(a.begin(), a.end(), [&](int d) { k = (k + d) % M; });"),
    ("int k = T[j]; std::array<int, 1> a{3};",
     "k", "std::accumulate(a.begin(), a.end(), 0, [&](int s, int d) { k = (k + d) % M; return s; });"),
    ("int k = T[j];",
     "k", "std::vector<int> v{3, 1, 2}; std::sort(v.begin(), v.end(), [&](int x, int y) { k = (k + 1) % M; return x < y; });"),
    ("int k = T[j];", "k", "try { throw 3; } catch (int d) { k = (k + d) % M; }"),
    ("int k = T[j];", "k", "std::array<int, 2> a{k = (k + 3) % M, 1}; (void)a;"),
    ("struct g { int& k; int z = (k = (k + 3) % M); }; int k = T[j];", "k", "g h{k}; (void)h;"),
    ("std::vector<int> a{T[j], 1, 2}; std::list<int> l{9, 8};", "a[0]", "a.assign(l.begin(), l.end());"),
    ("std::deque<int> a{T[j], 4, 5, 6, 7};", "a[0]", "a.pop_front();"),
    ("std::map<int, int> a{{1, T[j]}};", "a.at(1)", "a[1] = (a[1] + 3) % M;"),
)


class MovedSubscripts(DriverCase):
    def test_each_access_is_to_the_place_at_its_time(self):
        self.needs_library()
        text = HEAD
        for number, (before, subscript, change) in enumerate(WAYS):
            begin, end = f"{before} for (int t = 0; t < 4; ++t) {{ ", f" {change} }}"
            changing = f"{begin}X[{subscript}] = bump(X[{subscript}]);{end}"
            reading = f"unsigned sum = 0; {begin}sum = sum * 3 + W[{subscript}];{end} Y[j] = sum;"
            text += WAY % {"number": number, "change": changing, "read": reading}
        text += "int main() {\n" + "".join(f"  way{number}();\n" for number in range(len(WAYS))) + "}\n"
        self.write("a.cpp", text)
        self.cc("-w", "-O1", "a.cpp", "-o", "a")
        launcher = str(self.library().parent.parent / "bin" / "stradsap-run")
        for shape in ([], ["--threads", "2"], ["-n", "2"]):
            self.assertEqual(self.run_in_folder(launcher, *shape, "./a").stdout, "", shape)


if __name__ == "__main__":
    main()

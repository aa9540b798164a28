// Pointers to elements with a reach that the text does not show, beside some with a known reach.
#include <stradsap/stradsap.hpp>
#include <algorithm>
#include <cstring>
#include <functional>
#include <span>
#include <utility>
#include <vector>
#include <immintrin.h>
using namespace stradsap;
void unknown(float* p, int n);
struct view { float* p; int n; };
struct pt { float x, y, z; int n; };
struct matrix {
  float* p;
  int width;
  matrix(float* q, int w) : p(q), width(w) {}
  float& operator()(int a, int b) { return p[a * width + b]; }
};
struct cell_of {
  float* p;
  explicit cell_of(float& x) : p(&x) {}
};
static void poke_at(float& x, int k) { (&x)[k] += 1; }
static float& third(float& x) { return (&x)[2]; }
static int predicted(int t, int j) { return t * j; }
static float* moved(dvector<float>& v, int j) { return v.data() + predicted(j, 2); }  // expected-error: how far this pointer to an element of `m` goes is not known: `moved` moves it before it returns it (`return &v[i * n];` does not), and the loop does not only add into `m` [SAP056]
struct pokes {
  virtual ~pokes() = default;
  virtual void at(float& x, int k) const { (&x)[k] += 1; }
};
static float* chosen(float* a, float* b) { return *a > *b ? a : b; }
static void repeat(float* p) {
  int c = 0;
again:
  *p += 1;
  p += 2;
  if (++c < 3) goto again;
}
static void enter(float* p, int n) {
  if (n > 3) goto in;
  while (n-- > 0) {
    *p += 1;
  in:
    p += 1;
  }
}
static void resume(float* p, int n) {
  int k = 0;
  if (n < 1) goto in;
  while (k < n) {
  in:
    p[k] = 1;
    ++k;
  }
}
struct grid {
  dvector<float> cells = dvector<float>(400);
  int width = 4, other = 4;
  float* row(int j) { return &cells[j * width]; }
  void fill(int j) { float* p = row(j); for (int k = 0; k < other; ++k) p[k] = 1; }  // expected-error: how far this pointer to an element of `g.cells` goes is not known: `other` has no known name or value in the function that makes it [SAP056]
};
/// The advice names the forms that apply to the pointer.
static void advised(dvector<float>& m, dvector<pt>& pts, dmap<int, float>& counts) {
  const int n = 100, d = 4;
  async_for(n, [&](int64_t j) { float* p = &m[j * d]; for (int k = 0; p[k] > 0; ++k) p[k] = 1; });  // expected-error: how far this pointer to an element of `m` goes is not known // expected-note: reach the elements otherwise: by the container, `m[j * d + k]`, or by a span of all that the iteration uses, `m.span(j * d, COUNT)`
  async_for(n, [&](int64_t j) { float* p = &m[j < 50 ? j : 2 * j]; for (int k = 0; p[k] > 0; ++k) p[k] = 1; });  // expected-error: how far this pointer to an element of `m` goes is not known // expected-note: reach the elements otherwise: by the container, `m[(j < 50 ? j : 2 * j) + k]`, or by a span
  async_for(n, [&](int64_t j) { float* p = m.data(); for (int k = 0; *p > k; ++k) p[k] = 1; });  // expected-error: how far this pointer to an element of `m` goes is not known // expected-note: reach the elements otherwise: by the container, `m[k]`, or by a span of all that the iteration uses, `m.span(0, COUNT)`
  async_for(n, [&](int64_t j) { float* p = &m[0]; for (int k = 0; p[k] > 0; ++k) p[k] = 1; p[j] = 2; });  // expected-error: how far this pointer to an element of `m` goes is not known // expected-note: reach the elements otherwise: by the container, `m[k]`, or by a span
  async_for(n, [&](int64_t j) { const auto row = m.span(j * d, d); float* p = row.data(); for (int k = 0; p[k] > 0; ++k) p[k] = 1; });  // expected-error: how far this pointer to an element of `m` goes is not known // expected-note: reach the elements otherwise: by the span, `row[k]`
  async_for(n, [&](int64_t j) { view v{&m[j * d], 4}; v.p[1] = 2; });  // expected-error: how far this pointer to an element of `m` goes is not known // expected-note: reach the elements otherwise: by a pointer from a span of all that the iteration uses, `m.span(j * d, COUNT).data()`
  async_for(n, [&](int64_t j) { unknown(&m[j * d], d); });  // expected-error: how far this pointer to an element of `m` goes is not known // expected-note: reach the elements otherwise: by a pointer from a span of all that the iteration uses, `m.span(j * d, COUNT).data()` // expected-warning: only the name of `unknown` is known
  async_for(n, [&](int64_t j) { float* p = &pts[j / 2].x; for (int k = 0; k < 5; ++k) p[k] += 1; });  // expected-error: how far this pointer to an element of `pts` goes is not known // expected-note: reach the elements otherwise: by the members of `pts[j / 2]`, of which an array may be one
  async_for(n, [&](int64_t j) { float* p = &counts[static_cast<int>(j)]; for (int k = 0; p[k] > 0; ++k) p[k] = 1; });  // expected-error: how far this pointer to an element of `counts` goes is not known // expected-note: reach the elements otherwise: by their keys; `counts[static_cast<int>(j)]` is one value, and no other lies behind it
}
static void stored() {
  const int n = 100, d = 4;
  std::vector<int> pick(n);
  dvector<float> m(n * d), q(n * d);
  grid g;
  dvector<pt> pts(n);
  dmap<int, float> counts;
  advised(m, pts, counts);
  parallel_for(n, [d, &pick, &m](int j) { float* p = &m[pick[j] * d]; float* r = &m[(pick[j] + 1) * d % 64]; std::swap(p, r); p[1] = 1; }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known: `swap` gets it by reference and may move it [SAP056]  // expected-error: how far this pointer to an element of `m` goes is not known: `swap` gets it by reference and may move it [SAP056]
  parallel_for(n, [d, &pick, &m, &q](int j) { auto [a, b] = std::pair<float*, const float*>(&m[pick[j] * d], &q[pick[j] * d]); for (int k = 0; k < d; ++k) a[k] = b[k]; }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known: it is stored in an object [SAP056]  // expected-error: how far this pointer to an element of `q` goes is not known: it is stored in an object [SAP056]
  parallel_for(n, [&g](int j) { g.fill(j); }, consistency::async);
  parallel_for(n, [d, &m](int j) { float* p = &m[j * d]; for (int t = 0; t < 3; ++t) p[predicted(t, j) % d] = 1; }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known: data decide it: `predicted(t, j)` is not known where the pointer is made [SAP056]
  parallel_for(n, [d, &m](int j) { float* p = &m[j * d]; float most = 0; for (int t = 0; t < 3; ++t) { p[predicted(t, j) % d] += 1; most += p[0]; } }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known: data decide it: `predicted(t, j)` is not known where the pointer is made [SAP056]
  parallel_for(n, [d, &m](int j) { float* p = &m[j * d]; for (int t = 0; t < 3; ++t) p[predicted(t, j) % d] += t == 0 ? 1 : p[predicted(t, 0) % d]; }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known: data decide it: `predicted(t, j)` is not known where the pointer is made [SAP056]
  parallel_for(n, [d, &m](int j) { float* p = &m[j * d]; for (int t = 0; t < 3; ++t) { p[predicted(t, j) % d] += 1; p[predicted(t, 0) % d] *= 2; } }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known: data decide it: `predicted(t, j)` is not known where the pointer is made [SAP056]
  parallel_for(n, [d, &m](int j) { float* p = &m[j * d]; const float* kept[1]; for (int t = 0; t < 3; ++t) p[predicted(t, j) % d] += 1; kept[0] = p; (void)kept; }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known: data decide it: `predicted(t, j)` is not known where the pointer is made [SAP056]
  parallel_for(n, [d, &m](int j) { float* p = &m[j * d]; for (int t = 0; t < 3; ++t) { p[predicted(t, j) % d] += 1; ++p; } }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known
  parallel_for(n, [d, &m](int j) { float* p = &m[j * d]; for (int t = 0; t < 3; ++t) p[predicted(t, j) % d] += 1; m[0] = 3; }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known: data decide it: `predicted(t, j)` is not known where the pointer is made [SAP056]
  parallel_for(n, [d, &m](int j) { float* p = &m[j * d]; for (int t = 0; t < 3; ++t) ++p[predicted(t, j) % d]; }, consistency::async);
  parallel_for(n, [d, &pick, &m](int j) { std::vector<float*> all; all.push_back(&m[pick[j] * d]); all[0][1] = 1; }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known: it is stored in an object [SAP056]
}
static void in_lists(int d, const std::vector<int>& pick, dvector<float>& m) {
  const int n = 4;
  parallel_for(n, [d, &pick, &m](int j) { for (float* p : {&m[pick[j] * d], &m[j]}) { for (int k = 0; p[k] > 0; ++k) p[k] = 1; } }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known: `k` is not known where the pointer is made, and the loop does not only add into `m` [SAP056]  // expected-error: `k` is not known where the pointer is made, and the loop does not only add into `m` [SAP056]
  parallel_for(n, [d, &pick, &m](int j) { for (float* p : std::vector<float*>{&m[pick[j] * d]}) p[0] = 1; }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known: it is stored in an object [SAP056]
  parallel_for(n, [&pick, &m](int j) { moved(m, j)[pick[j]] = 1; }, consistency::async);
}

int main() {
  const int n = 100, d = 4;
  std::vector<int> pick(n), len(n);
  dvector<float> m(n * d), q(n * d);
  dvector<pt> pts(n);
  parallel_for(n, [d, &pick, &m](int j) { unknown(&m[pick[j] * d], d); }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known: it is passed to `unknown`, of which only the name is known [SAP056] // expected-warning: only the name of `unknown` is known
  parallel_for(n, [d, &pick, &m](int j) { float* p = &m[pick[j] * d]; for (int k = 0; p[k] > 0; ++k) p[k] = 1; }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known: `k` is not known where the pointer is made [SAP056]
  parallel_for(n, [d, &pick, &m](int j) { float* p = &m[pick[j] * d]; while (*p > 0) *p++ = 1; }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known: it moves in a loop that does not count its index to a bound [SAP056]
  parallel_for(n, [d, &pick, &m](int j) { view v{&m[pick[j] * d], 4}; v.p[1] = 2; }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known: it is stored in an object [SAP056]
  parallel_for(n, [d, &pick, &m, &q](int j) { float* p = chosen(&m[pick[j] * d], &q[pick[j] * d]); p[1] = 2; }, consistency::async);
  parallel_for(n, [d, &pick, &m](int j) { float* p = &m[pick[j] * d]; float** pp = &p; (*pp)[1] = 1; }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known: the address of the pointer is taken [SAP056]
  parallel_for(n, [d, &pick, &m](int j) { float* p = &m[pick[j] * d]; auto next = [&] { return p++; }; *next() = 1; *next() = 2; }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known: a lambda moves it [SAP056]
  parallel_for(n, [d, &pick, &pts](int j) { float* p = &pts[pick[j]].x; for (int k = 0; k < 3; ++k) p[k] += 1; }, consistency::async);
  parallel_for(n, [d, &pick, &pts](int j) { float* p = &pts[pick[j]].x; for (int k = 0; k < 5; ++k) p[k] += 1; }, consistency::async);  // expected-error: how far this pointer to an element of `pts` goes is not known: it may leave the element [SAP056]
  parallel_for(n, [d, &pick, &pts](int j) { pt* p = &pts[pick[j]]; p->x += 1; (*p).y += 2; p[0].n += 1; }, consistency::async);
  parallel_for(n, [d, &pick, &pts](int j) { float* p = reinterpret_cast<float*>(&pts[pick[j]]); p[1] += 1; }, consistency::async);
  parallel_for(n, [d, &pick, &m](int j) { auto p = reinterpret_cast<std::uintptr_t>(&m[pick[j] * d]); *reinterpret_cast<float*>(p + 4) = 1; }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known: it is converted to something else [SAP056]
  parallel_for(n, [d, &pick, &m](int j) { int k = 0; float* p = &m[pick[j] * d]; while (k < d) { p[k] = 1; ++k; } }, consistency::async);
  parallel_for(n, [d, &pick, &m](int j) { float* p = &m[pick[j] * d]; int k = 0; while (k < d) { p[k] = 1; ++k; p[k] = 2; ++k; } }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known: `k` is not known where the pointer is made [SAP056]
  parallel_for(n, [d, &pick, &m](int j) { float* p = &m[pick[j] * d]; int k = 0; while (k < d) { for (int i = 0; i < j; ++i) ++k; p[k] = 1; } }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known: `k` is not known where the pointer is made [SAP056]
  parallel_for(n, [d, &pick, &m](int j) { float* p = &m[pick[j] * d]; int k = 0; while (++k < d) p[k] = 1; }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known: `k` is not known where the pointer is made [SAP056]
  parallel_for(n, [d, &pick, &m](int j) { float* p = &m[pick[j] * d]; int k = 0; do { p[k] = 1; ++k; } while (k < d); }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known: `k` is not known where the pointer is made [SAP056]
  parallel_for(n, [d, &pick, &m](int j) { float* p = &m[pick[j] * d]; int k = j; while (k != d) { p[k] = 1; ++k; } }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known: `k` is not known where the pointer is made [SAP056]
  parallel_for(n, [d, &pick, &m](int j) { float* p = &m[pick[j] * d]; int k = 0; for (int i = 0; i < 3; ++i) { while (k < d) { p[k] = 1; ++k; } --k; } }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known: `k` is not known where the pointer is made [SAP056]
  parallel_for(n, [d, &pick, &m](int j) { float* p = &m[pick[j] * d]; int k = j - 9; while (k < 4u) { p[k] = 1; ++k; } }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known: `k` is not known where the pointer is made [SAP056]
  parallel_for(n, [d, &pick, &m](int j) { float* p = &m[pick[j] * d]; int k = 0; const auto next = [&k] { ++k; }; while (k < d) { p[k] = 1; next(); } }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known: `k` is not known where the pointer is made [SAP056]
  parallel_for(n, [d, &pick, &m](int j) { resume(&m[pick[j] * d], d); }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known: `k` is not known where the pointer is made [SAP056]
  parallel_for(n, [d, &pick, &m](int j) { float* p = &m[pick[j] * d]; int k = 0; switch (j % 2) { case 0: while (k < d) { case 1: p[k] = 1; ++k; } } }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known: `k` is not known where the pointer is made [SAP056]
  parallel_for(n, [d, &pick, &m](int j) { const float* p = &m[pick[j] * d]; float s = 0; for (int k = 0; p[k] > 0 && k < 4; ++k) s += p[k]; m[j] = s; }, consistency::async);
  parallel_for(n, [d, &pick, &m, &q](int j) { const float* p = &m[pick[j] * d]; float s = 0; for (int k = 0; p[k] > 0; ++k) s += p[k]; q[j] = s; }, consistency::async);
  parallel_for(n, [d, &pick, &m](int j) { for (float* p = &m[pick[j] * d]; *p > 0; p += 1) *p = 0; }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known: it moves in a loop that does not count its index to a bound [SAP056]
  parallel_for(n, [d, &pick, &m](int j) { float* p = &m[pick[j] * d]; p = std::fill_n(p, 2, 1.0f); p = std::fill_n(p, 2, 2.0f); }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known: it is assigned from itself [SAP056]
  parallel_for(n, [d, &pick, &m](int j) { view v{std::fill_n(&m[pick[j] * d], 2, 1.0f), 2}; v.p[1] = 2; }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known: it is stored in an object [SAP056]
  parallel_for(n, [d, &pick, &m](int j) { auto r = std::minmax_element(&m[pick[j] * d], &m[pick[j] * d] + d); r.first += 3; *r.first = 2; }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known: it is stored in an object [SAP056]
  parallel_for(n, [d, &pick, &m](int j) { auto [lo, hi] = std::minmax_element(&m[pick[j] * d], &m[pick[j] * d] + d); *++lo = 2; }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known: it is stored in an object [SAP056]
  parallel_for(n, [d, &pick, &m](int j) { matrix all(&m[pick[j] * d], 2); all(1, 1) += 2; }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known: it is stored in an object [SAP056]
  parallel_for(n, [d, &pick, &m](int j) { cell_of one(m[pick[j] * d]); one.p[1] += 2; }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known: it is stored in an object [SAP056]
  // moves that repeat more often than their loops count
  parallel_for(n, [d, &pick, &m](int j) { repeat(&m[pick[j] * d]); }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known: a jump may repeat its move [SAP056]
  parallel_for(n, [d, &pick, &m](int j) { enter(&m[pick[j] * d], d); }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known: a jump may repeat its move [SAP056]
  parallel_for(n, [d, &pick, &m](int j) { float* p = &m[pick[j] * d]; for (int k = 0; *p++ > 0 && k < d; ++k) *p += 1; }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known: the condition of a loop moves it [SAP056]

  // passed to functions that are arguments
  parallel_for(n, [d, &pick, &m](int j) { std::invoke(poke_at, m[pick[j] * d], j % 4); }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known: `k` is not known where the pointer is made [SAP056]
  parallel_for(n, [d, &pick, &m](int j) { float& (*f)(float&) = third; (&f(m[pick[j] * d]))[1] += 1; }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known: it is returned to code outside this file [SAP056]
  parallel_for(n, [d, &pick, &m](int j) { const pokes p; const pokes& q = p; q.at(m[pick[j] * d], 3); }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known: `k` is not known where the pointer is made [SAP056]

  in_lists(d, pick, m);
  // from spans
  parallel_for(n, [d, &pick, &m](int j) { auto s = m.span(pick[j] * d, d); s.data()[pick[j] % 3 + 10] = 1; }, consistency::async);
  parallel_for(n, [d, &pick, &m](int j) { auto s = m.span(pick[j] * d, d); for (int k = 0; s[0] > k; ++k) s.data()[k] = 1; }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known: `k` is not known where the pointer is made [SAP056]
  parallel_for(n, [d, &pick, &m](int j) { auto s = m.span(pick[j] * d, d); for (int k = 0; s[0] > k; ++k) s[k] = 1; }, consistency::async);
  parallel_for(n, [d, &pick, &m](int j) { auto s = m.span(pick[j] * d, d); while (!s.empty()) { s.data()[0] = 1; s = s.subspan(1); } }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known: which element of the span it is made from is not known [SAP056]
  parallel_for(n, [d, &pick, &m](int j) { auto s = m.span(pick[j] * d, d); while (!s.empty()) { s[0] = 1; s = s.subspan(1); } }, consistency::async);
  parallel_for(n, [d, &pick, &m](int j) { std::span s(&m[pick[j] * d], d); float* p = &s[0]; while (*p > 0) *p++ = 1; }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known: it moves in a loop that does not count its index to a bound [SAP056]
  parallel_for(n, [d, &pick, &m](int j) { unknown(m.span(pick[j] * d, d).data(), d); }, consistency::async);  // expected-warning: only the name of `unknown` is known
  parallel_for(n, [d, &pick, &m](int j) { view v{m.span(pick[j] * d, 4).data(), 4}; v.p[1] = 2; }, consistency::async);
  stored();
  return 0;
}

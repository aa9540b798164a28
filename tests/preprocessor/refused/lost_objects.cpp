// Pointers to elements that their own member functions make and lose, and beside them some that they keep.
#include <stradsap/stradsap.hpp>
#include <vector>
using namespace stradsap;
struct cell;
void unknown(cell* p);
struct kept { cell* p; };
struct cell {
  int w = 0;
  float x = 0, y = 0, z = 0;
  void give_itself() { unknown(this); }  // expected-warning: only the name of `unknown` is known
  void keep(std::vector<cell*>& all) { all.push_back(this); }
  int keep_in_view() { kept k{this}; return k.p[1].w; }
  void walk() { for (cell* p = this; p->w > 0; ++p) p->w = 0; }
  void next(int k) { if (k > 0) (this + 1)->next(k - 1); w += 1; }
  float* axes() { return &x; }
  float& axis(int k) { return (&x)[k]; }
  void wide() { (&x)[4] = 1; }
  cell& self() { return *this; }
  cell* me() { return this; }
  bool is(const cell& other) const { return this == &other; }
};
int main() {
  const int n = 100;
  std::vector<int> pick(n);
  dvector<cell> m(n);
  parallel_for(n, [&pick, &m](int j) { m[pick[j]].give_itself(); }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known: it is passed to `unknown`, of which only the name is known [SAP056]
  parallel_for(n, [&pick, &m](int j) { std::vector<cell*> all; m[pick[j]].keep(all); all[0][1].w = 1; }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known: it is stored in an object [SAP056]
  parallel_for(n, [&pick, &m](int j) { m[pick[j]].w += m[pick[j]].keep_in_view(); }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known: it is stored in an object [SAP056]
  parallel_for(n, [&pick, &m](int j) { m[pick[j]].walk(); }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known: it moves in a loop that does not count its index to a bound [SAP056]
  parallel_for(n, [&pick, &m](int j) { m[pick[j]].next(3); }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known: a function passes it to itself [SAP056]
  parallel_for(n, [&pick, &m](int j) { for (int k = 0; k < 5; ++k) m[pick[j]].axes()[k] = 1; }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known: it may leave the element [SAP056]
  parallel_for(n, [&pick, &m](int j) { float* p = m[pick[j]].axes(); for (int k = 0; k < 3; ++k) p[k] += m[pick[j]].axis(k); }, consistency::async);
  parallel_for(n, [&pick, &m](int j) { m[pick[j]].wide(); }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known: it may leave the element [SAP056]
  parallel_for(n, [&pick, &m](int j) { cell* p = &m[pick[j]].self(); while (p->w > 0) ++p; p->w = 1; }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known: it moves in a loop that does not count its index to a bound [SAP056]
  parallel_for(n, [&pick, &m](int j) { void (cell::*f)() = &cell::walk; (m[pick[j]].*f)(); }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known: it moves in a loop that does not count its index to a bound [SAP056]
  parallel_for(n, [&pick, &m](int j) { m[pick[j]].self().me()->w += m[pick[j]].is(m[j]) ? 1 : 2; }, consistency::async);
  return 0;
}

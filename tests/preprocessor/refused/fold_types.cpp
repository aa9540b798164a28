// Folds with a conversion that makes the end depend on the order, and counters with a used value.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include <stradsap/stradsap.hpp>

using namespace stradsap;
using consistency::async;

struct state {
  int left = 1000;
};

void cut_off(int64_t n, dvector<double>& d, dvector<int>& i) {
  int s = 0;
  state st;
  parallel_for(n, [&](int64_t) { s += 0.6; }, async);  // expected-error: `s` is of type int and cut off after each addition, so its end depends on the order [SAP015]
  parallel_for(n, [&](int64_t j) { s = s - i[j] * 0.25; }, async);  // expected-error: `s` is of type int and cut off after each addition [SAP015]
  parallel_for(n, [&](int64_t j) { st.left -= d[j]; }, async);  // expected-error: `st` is of type int and cut off after each addition [SAP015]
  parallel_for(n, [&](int64_t j) { s = s - i[j] * 0.25; }, consistency::ordered);  // expected-error: cut off after each addition [SAP015]
}

void converted(int64_t n, dvector<int>& i, dvector<int64_t>& l, dvector<unsigned>& u, dvector<float>& f, dvector<double>& d) {
  int8_t small = 0;
  int best = 0;
  unsigned positive = 0;
  double exact = 0;
  int64_t wide = 0;
  bool odd = false;
  parallel_for(n, [&](int64_t j) { if (i[j] > small) small = i[j]; }, async);  // expected-error: `small` is of type int8_t but folded as int, and not all values fit, so its end depends on the order [SAP019]
  parallel_for(n, [&](int64_t j) { best = std::max<int64_t>(best, l[j]); }, async);  // expected-error: `best` is of type int but folded as long, and not all values fit [SAP019]
  parallel_for(n, [&](int64_t j) { best = std::max<unsigned>(best, u[j]); }, async);  // expected-error: `best` is of type int but folded as unsigned int [SAP019]
  parallel_for(n, [&](int64_t j) { if (i[j] > positive) positive = i[j]; }, async);  // expected-error: `positive` is of type unsigned int but folded as int [SAP019]
  parallel_for(n, [&](int64_t j) { if (u[j] > best) best = u[j]; }, async);  // expected-error: `best` is of type int but folded as unsigned int [SAP019]
  parallel_for(n, [&](int64_t j) { best = u[j] < best ? u[j] : best; }, async);  // expected-error: `best` is of type int but folded as unsigned int [SAP019]
  parallel_for(n, [&](int64_t j) { exact = fmaxf(exact, f[j]); }, async);  // expected-error: `exact` is of type double but folded as float [SAP019]
  parallel_for(n, [&](int64_t j) { if (d[j] < wide) wide = d[j]; }, async);  // expected-error: `wide` is of type int64_t but folded as double [SAP019]
  parallel_for(n, [&](int64_t j) { odd ^= i[j]; }, async);  // expected-error: `odd` is of type bool but folded as int [SAP019] // expected-note: fold in a truth value
  parallel_for(n, [&](int64_t j) { odd = odd ^ i[j]; }, async);  // expected-error: `odd` is of type bool but folded as int [SAP019]
}

void taking_nan(int64_t n, dvector<double>& d, dvector<float>& f) {
  double best = 0;
  float least = 0;
  parallel_for(n, [&](int64_t j) { best = std::max(d[j], best); }, async);  // expected-error: a NaN would replace `best` here, and then a number the NaN, so its end depends on the order [SAP087] // expected-note: write `best` first, `std::max(best, e)`, or last, `e > best ? e : best`: then NaN changes nothing
  parallel_for(n, [&](int64_t j) { best = std::max({d[j], best, 0.5}); }, async);  // expected-error: a NaN would replace `best` here [SAP087]
  parallel_for(n, [&](int64_t j) { least = least < f[j] ? least : f[j]; }, async);  // expected-error: a NaN would replace `least` here [SAP087] // expected-note: write `least` first, `std::min(least, e)`, or last, `e < least ? e : least`
}

struct counter {
  int at;
  int next() { return step(); }
  int step() { return at++; }
};
static int drawn(std::minstd_rand& draw) { return static_cast<int>(draw() % 97); }

void guarded(int64_t n, dvector<int>& i) {
  static const int row[] = {3, 1, 4, 1, 5};
  int sums[4] = {0};
  bool ok = true;
  int best = 0, count = 0, any = 0;
  parallel_for(n, [&](int64_t j) { ok = ok && (++count, i[j] > 0); }, async);  // expected-error: the value of `ok` so far decides whether this changes `count`, and depends on the order of the iterations [SAP014]
  parallel_for(n, [&](int64_t j) { auto small = [&] { int& c = count; c += 1; return i[j] < 3; }; ok = ok && small(); }, async);  // expected-error: the value of `ok` so far decides whether this changes `count`, [SAP014]
  parallel_for(n, [&](int64_t j) { if (i[j] > best && (++count, j > 3)) best = i[j]; }, async);  // expected-error: the value of `best` so far decides whether this changes `count`, [SAP014]
  parallel_for(n, [&](int64_t) { if (++i[3] > best) best = ++i[3]; }, async);  // expected-error: the value of `best` so far decides whether this changes a container, [SAP014]
  parallel_for(n, [&](int64_t j) { int at = 0; if (i[j + at++] > best) best = i[j + at++]; }, async);  // expected-error: the value of `best` so far decides whether this changes `at`, and depends on the order of the iterations [SAP014] // expected-note: evaluate it first
  parallel_for(n, [&](int64_t j) { int at = 0; const auto next = [&] { return i[j + at++]; }; best = next() > best ? next() : best; }, async);  // expected-error: the value of `best` so far decides whether this changes `at`, [SAP014]
  parallel_for(n, [&](int64_t j) { int at = 0; ok = ok && i[j + at++] > 3; count += at; }, async);  // expected-error: the value of `ok` so far decides whether this changes `at`, [SAP014]
  parallel_for(n, [&](int64_t j) { const int* at = row; if (*at++ > best) best = *at++; count += j > 3; }, async);  // expected-error: the value of `best` so far decides whether this changes `at`, [SAP014]
  parallel_for(n, [&](int64_t j) { std::vector<int> left{i[j], 2}; auto pop = [&left] { const int x = left.back(); left.pop_back(); return x; }; if (pop() > best) best = pop(); }, async);  // expected-error: the value of `best` so far decides whether this changes `left`, [SAP014]
  parallel_for(n, [&](int64_t j) { std::minstd_rand draw(j + 1); if (drawn(draw) > best) best = drawn(draw); }, async);  // expected-error: the value of `best` so far decides whether this changes `draw`, [SAP014]
  parallel_for(n, [&](int64_t j) { counter c{i[j]}; if (c.next() > best) best = c.next(); }, async);  // expected-error: the value of `best` so far decides whether this changes `c`, [SAP014]
  parallel_for(n, [&](int64_t j) { auto at = [&](int64_t k) -> int& { return i[k]; }; if (at(j)++ > best) best = at(j)++; }, async);  // expected-error: the value of `best` so far decides whether this changes a container, [SAP014]
  parallel_for(n, [&](int64_t j) { std::minstd_rand draw(j + 1); sums[draw() % 4] = sums[draw() % 4] + 1; }, async);  // expected-error: the body changes `sums`, or may change it [SAP016]
  parallel_for(n, [&](int64_t j) { if (j > 3) any = any || i[j]; }, async);  // expected-error: the body changes `any` [SAP010]
}

void counters(int64_t n, dvector<double>& d, dvector<int>& out) {
  int k = 0;
  uint64_t generator = 1;
  auto up = [&k] { return ++k; };  // expected-error: the value of `k` so far is used [SAP017]
  parallel_for(n, [&](int64_t j) { out[k++] = static_cast<int>(j); }, async);  // expected-error: the value of `k` so far is used, which the iterations before this one decide [SAP017] // expected-note: an exclusive prefix sum
  parallel_for(n, [&](int64_t) { ++k; out[k] = 1; out[k + 1] = 2; }, async);  // expected-error: the value of `k` so far is used [SAP017]
  parallel_for(n, [&](int64_t j) { auto next = [&k] { return k++; }; const int x = next(); out[j] = x; }, async);  // expected-error: the value of `k` so far is used [SAP017]
  parallel_for(n, [&](int64_t j) { if (d[j] > 0) { const int at = k; k += 1; out.at(at) = 1; } }, async);  // expected-error: the value of `k` so far is used [SAP017]
  parallel_for(n, [&](int64_t j) { const uint64_t z = (generator += 0x9e3779b97f4a7c15u); out[j] = z % 7; }, async);  // expected-error: the value of `generator` so far is used [SAP017]
  parallel_for(n, [&](int64_t j) { if (++k > 10) out[j] = 1; }, async);  // expected-error: the value of an update of the reduction variable `k` is used [SAP012] // expected-note: write the update as a statement of its own, `k += e;`; the number of an iteration follows from its index, as in `start + j`
  parallel_for(n, [&](int64_t j) { out[j] = up(); }, async);
}

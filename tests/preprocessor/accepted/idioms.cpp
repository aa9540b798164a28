// Habits of researchers' loops that must compile, and the findings about each.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include <stradsap/stradsap.hpp>

#include "../printed.hpp"

using namespace stradsap;
struct doc { std::vector<int> words; std::vector<int> topics; int n; };
using row = std::array<float, 8>;
struct obj { float v; void bump() { v += 1; } float get() const { return v; } float& ref() { return v; } };
static int pick(const std::vector<int>& w, int i) { return w[i % w.size()]; }
static row& sel(dvector<row>& P, int i) { return P[i]; }
struct Idx { int i; int operator()() const { return i; } };
static void fillidx(int* out, int v) { *out = v; }
struct cursor { int* p; void set(int v) { *p = v; } };
int main() {
  int n = 10; dvector<row> P(n + 2), Q(n); dvector<int> I(n), J(n), K2(n); dvector<obj> O(n); dvector<doc> docs(n); dvector<float> S(n);
  dmap<int, row> M; int off = 2; std::vector<int> table{1,2,3}; long cnt = 0;
  for (int j = 0; j < n; ++j) {
    I[j] = j * 3 % n;
    J[j] = 1 + j % 3;
    O[j].v = static_cast<float>(j % 2 - 1);
    S[j] = static_cast<float>(j % 3 - 1);
    P[j] = {1, static_cast<float>(j), 0, 2};
    Q[j] = {static_cast<float>(j % 4), 1, -1, static_cast<float>(j)};
    docs[j].topics = {j, 1};
  }
  docs[3].words = {4, 7, 4};  // of one iteration alone: its steps show the order
  // a guard on the iteration's own data
  parallel_for(n, [&S, &P](int64_t j) { if (S[j] > 0) P[j][0] += 1; }, consistency::async);
  // an engine seeded from the index picks elements
  parallel_for(n, [&docs, &P, &Q](int64_t j) { std::mt19937 g(j); std::uniform_int_distribution<int> u(0, 9); const doc& d = docs[j];
    for (int w : d.words) { int neg = u(g); row& p = P[w]; row& q = Q[neg]; float dt = std::inner_product(p.begin(), p.end(), q.begin(), 0.f); for (int k = 0; k < 8; ++k) { p[k] += dt * q[k]; q[k] -= dt; } } }, consistency::async);
  // members of the element
  parallel_for(n, [&O, &I](int64_t j) { O[I[j]].bump(); }, consistency::async);
  parallel_for(n, [&O, &I, &cnt](int64_t j) { if (O[I[j]].get() > 0) ++cnt; }, consistency::async);
  parallel_for(n, [&O, &I](int64_t j) { O[I[j]].ref() = 2; }, consistency::async);
  // a helper that returns an element
  parallel_for(n, [&P, &I](int64_t j) { sel(P, I[j])[0] = 1; row& r = sel(P, I[j]); r[1] = 2; }, consistency::async);
  // a subscript through an out-parameter and through an object that points
  parallel_for(n, [&P, &I, off](int64_t j) { int i; fillidx(&i, I[j] + off); P[i][0] = 1; }, consistency::async);
  parallel_for(n, [&P, &I, off](int64_t j) { int i = 0; cursor c{&i}; c.set(I[j] + off); P[i][0] = 1; }, consistency::async);
  // subscripts from a local vector
  parallel_for(n, [&P, &I, &table, off](int64_t j) { std::vector<int> v; v.push_back(I[j]); v.push_back(off); std::sort(v.begin(), v.end()); for (int x : v) P[x][0] += pick(table, x); }, consistency::async);
  // structured bindings, a choice of elements, switch and while
  parallel_for(n, [&M, &I, off](int64_t j) { auto [it, fresh] = M.insert({I[j], row{}}); if (fresh) it->second[0] = 1; }, consistency::async);
  parallel_for(n, [&P, &Q, &I, off](int64_t j) { row& r = off > 3 ? P[I[j]] : Q[j]; r[0] = 1; }, consistency::async);
  parallel_for(n, [&P, &I, &J, off](int64_t j) { switch (J[j]) { case 1: P[I[j]][0] = 1; break; default: break; } int k = off; while (k > 0) { P[k][1] = 2; --k; } }, consistency::async);
  // a functor computes the subscript
  parallel_for(n, [&P, &I](int64_t j) { Idx f{I[j]}; P[f()][0] += 1; }, consistency::async);
  // pointers into an element
  parallel_for(n, [&P, &I](int64_t j) { float* x = P[I[j]].data(); x[0] = 1; const float* y = &P[I[j]][1]; (void)y; }, consistency::async);
  // a lambda passed to an algorithm
  parallel_for(n, [&P, &docs](int64_t j) { const doc& d = docs[j]; std::for_each(d.words.begin(), d.words.end(), [&](int w) { P[w][0] += 1; }); }, consistency::async);
  // the subscript has unknown dependences: recorded at every call
  parallel_for(n, [&P](int64_t j) { P[std::thread::hardware_concurrency() % 10][0] += j; }, consistency::async);
  // other names of the containers
  parallel_for(n, [&P, &Q, &I](int64_t j) { auto& A = P; auto& B = Q; A[I[j]] = B[j]; }, consistency::async);
  // whole elements moved, set, incremented and decomposed
  parallel_for(n, [&P, &Q](int64_t j) { std::swap(P[j], Q[j]); }, consistency::async);
  parallel_for(n, [&P, &Q](int64_t j) { P[j] = Q[j] = row{}; }, consistency::async);
  parallel_for(n, [&I, &J, &K2](int64_t j) { K2[j] = I[j]++ + --J[j]; }, consistency::async);
  parallel_for(n, [&docs](int64_t j) { docs[j].words.push_back(1); for (auto& w : docs[j].topics) w++; auto& [w, t, m] = docs[j]; m = 3; }, consistency::async);
  printed::print("count", cnt);
  printed::print_elements("P", P);
  printed::print_elements("Q", Q);
  printed::print_elements("I", I);
  printed::print_elements("J", J);
  printed::print_elements("K2", K2);
  printed::print_elements("O", O, [](const obj& one) { return one.v; });
  printed::print_elements("topics", docs, [](const doc& one) { return one.topics; });
  printed::print_elements("words", docs, [](const doc& one) { return one.words; });
  printed::print_elements("docs", docs, [](const doc& one) { return one.n; });
  printed::print_entries("M", M, [](const row& one) { return one; });
}

// The analysis of each access: aligned, read, written, and the data that steer it.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include <stradsap/stradsap.hpp>

#include "../printed.hpp"

using stradsap::dmap;
using stradsap::dvector;
using stradsap::parallel_for;
namespace consistency = stradsap::consistency;

using vec = std::array<float, 4>;
struct edge { int from; int to; float weight; };

static float dot(const vec& a, const vec& b) {
  float s = 0;
  for (int k = 0; k < 4; ++k) s += a[k] * b[k];
  return s;
}
static float sloppy_dot(vec& a, vec& b) { return a[0] * b[0]; }
static void add(vec& a, const vec& b) {
  for (int k = 0; k < 4; ++k) a[k] += b[k];
}
static int clamp_to(int i, int n) { return i < 0 ? 0 : std::min(i, n - 1); }
static float through(const dvector<vec>& X, int i) { return X[i][0]; }
static void relax(dvector<float>& dist, const edge& e) { dist[e.to] += e.weight; }

static void fill(dvector<edge>& E, dvector<vec>& P, dvector<vec>& Q, dvector<int>& where) {
  const int n = static_cast<int>(E.size());
  for (int j = 0; j < n; ++j) {
    E[j] = {j * 3 % n, j * 5 / 2 % n, static_cast<float>(j % 4)};
    P[j] = {1, static_cast<float>(j), 2, static_cast<float>(j % 3)};
    Q[j] = {static_cast<float>(j % 5), 1, static_cast<float>(-j), 3};
    where[j] = j * j % 11 - 2;
  }
}

static void show(const dvector<vec>& P, const dvector<vec>& Q, const dvector<float>& W, const dvector<float>& Z,
                 const dmap<int, float>& M, double total) {
  printed::print("total", total);
  printed::print_elements("P", P);
  printed::print_elements("Q", Q);
  printed::print_elements("W", W);
  printed::print_elements("Z", Z);
  printed::print_entries("M", M, [](float value) { return value; });
}

int main() {
  const int n = 8;
  dvector<edge> E(n);
  dvector<vec> P(n), Q(n);
  dvector<float> W(n), Z(n);
  dvector<int> where(n);
  dmap<int, float> M;
  int shift = 1; bool verbose = false; double total = 0;
  fill(E, P, Q, where);

  // read through const references, values and helpers
  parallel_for(n, [&E, &P, &Q, &total](int64_t j) {
    const edge& e = E[j];
    const vec& p = P[e.from];
    auto& q = Q[e.to];
    total += dot(p, q) + sloppy_dot(q, q);
  }, consistency::async);
  // written in a helper
  parallel_for(n, [&E, &P, &Q](int64_t j) { add(P[E[j].from], Q[E[j].to]); }, consistency::async);
  // whole elements only written; aligned through a conversion
  parallel_for(n, [&W, &Z](int64_t j) { W[static_cast<std::size_t>(j)] = 1; Z[(j)] = 2; }, consistency::async);
  // not aligned: another subscript, a changed index, one in 16 bits
  parallel_for(n - 1, [&W](int64_t j) { W[j + 1] = 1; }, consistency::async);
  parallel_for(n, [&W](int64_t j) { j = n - 1 - j; W[j] = 1; }, consistency::async);
  parallel_for(n, [&W](int64_t j) { W[static_cast<short>(j)] = 1; }, consistency::async);
  // captured values that steer, and one that does not
  parallel_for(n, [&W, shift, verbose, scale = 2.0f](int64_t j) {
    if (verbose) return;
    W[(j + shift) % n] += scale;
  }, consistency::async);
  // the subscript's way: locals, assignments, a pointer, a helper, an implicit flow
  parallel_for(n, [&where, &W, shift](int64_t j) {
    int i = where[j];
    int* p = &i;
    *p += shift;
    int k = 0;
    if (i > 3) k = 1;
    W[clamp_to(i + k, n)] += 1;
  }, consistency::async);
  // containers passed on as handles
  parallel_for(n, [&P, &W, &E, &total](int64_t j) {
    total += through(P, E[j].to);
    relax(W, E[j]);
  }, consistency::async);
  // local lambdas, range-for, standard algorithms
  parallel_for(n, [&P, &Q, &W](int64_t j) {
    const auto pick = [&](int i) -> vec& { return P[i]; };
    for (float& x : pick(static_cast<int>(j) / 2)) x += 1;
    float s = 0;
    for (const float x : Q[j / 2]) s += x;
    std::vector<float> sorted(Q[j / 3].begin(), Q[j / 3].end());
    std::sort(sorted.begin(), sorted.end(), [](float a, float b) { return a > b; });
    W[j] = s + sorted[0] + std::sqrt(s);
  }, consistency::async);
  // maps: reading by key, asking, inserting
  parallel_for(n, [&M](int64_t j) { M[static_cast<int>(j % 3)] += 1; }, consistency::async);
  parallel_for(n, [&M, &total](int64_t j) { if (M.contains(static_cast<int>(j))) total += M.at(static_cast<int>(j)); }, consistency::async);
  show(P, Q, W, Z, M, total);
  return 0;
}

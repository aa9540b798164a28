// Bodies that reach elements in many forms; the inspector keeps only the parts that find them: branches within
// expressions, local types and lambdas, functions that reach elements themselves, if with an initialiser, do, switch.
// The order of iterations shows: it prints another serial order than the program's.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <stradsap/stradsap.hpp>

#include "../printed.hpp"

using stradsap::async_for;
using stradsap::dvector;

using vec = std::array<double, 4>;
struct edge {
  int64_t from, to;
  int kind;
};

static void bump(dvector<vec>& X, int64_t i, double by) {
  vec& x = X[i];
  for (double& value : x) value += by;
}
static int64_t common_divisor(int64_t a, int64_t b) { return b == 0 ? a : common_divisor(b, a % b); }
static int64_t odd(int64_t n);
static int64_t even(int64_t n) { return n == 0 ? 1 : odd(n - 1); }
static int64_t odd(int64_t n) { return n == 0 ? 0 : even(n - 1); }
static double sum(const vec& x) {
  double total = 0;
  for (const double value : x) total += value;
  return total;
}

template <class Container, class Edges> void steps(int64_t n, Container& X, Edges& E, double& loss) {
  // a branch in an expression, a margin on written data in another
  async_for(n, [&X, &E](int64_t j) {
    const edge& e = E[j];
    const double before = e.kind == 0 ? X[e.from][0] : X[e.to][1];
    e.kind == 1 && (X[(e.from + e.to) % 50][2] += before) > 1e9;
  });
  async_for(n, [&X, &E, &loss](int64_t j) {
    const edge& e = E[j];
    const double margin = 1 + sum(X[e.from]) - sum(X[e.to]);
    loss += margin > 0 ? margin : 0;
    if (margin <= 0) return;
    X[e.from][0] -= 0.1;
    for (int k = 0; k < 4; ++k) X[e.to][k] += 0.1;
    margin > 2 ? X[e.from][1] -= 0.1 : X[e.to][3] += 0.1;
  });
  // local types, local lambdas
  async_for(n, [&X, &E](int64_t j) {
    struct pair {
      int64_t first, second;
    };
    using number = double;
    const pair both{E[j].from, E[j].to};
    const auto wrapped = [](int64_t i) { return (i + 7) % 50; };
    const auto add = [&X](int64_t i, number by) { X[i][0] += by; };
    add(wrapped(both.first), 1);
    if (both.second % 2 == 0) add(wrapped(both.second), 2);
    const number heavy = std::clamp(sum(vec{1, 2, 3, 4}), 0.0, 5.0);
    X[both.first][1] += heavy;
  });
  // variables of one declaration, and their initialisers
  async_for(n, [&X, &E](int64_t j) {
    const int64_t step = E[j].kind + 1;
    int64_t first, by = step * 2;
    first = E[j].from;
    X[first][0] += static_cast<double>(by);
  });
  // functions that call themselves; of two that call each other, the plan is made anew at every call
  async_for(n, [&X, &E](int64_t j) { X[common_divisor(E[j].from + 1, E[j].to + 1) % 50][1] += 0.5; });
  async_for(n, [&X, &E](int64_t j) { X[even(E[j].from)][2] += 0.5; });
  // functions that reach elements, if with an initialiser, do, switch
  async_for(n, [&X, &E](int64_t j) {
    const edge& e = E[j];
    if (const int64_t middle = (e.from + e.to) / 2; middle != e.from) bump(X, middle, 0.5);
    int64_t k = e.from % 3;
    do {
      X[(e.to + k) % 50][2] += 1;
    } while (--k > 0);
    switch (e.kind) {
      case 0: X[e.from][3] += 1; break;
      case 1: bump(X, e.to, 0.25); [[fallthrough]];
      default: X[(e.to * 3) % 50][0] *= 0.5;
    }
  });
}

int main() {
  constexpr int64_t n = 3000;
  dvector<vec> X(50);
  dvector<edge> E(n);
  std::vector<edge> edges;
  for (int64_t j = 0; j < n; ++j) edges.push_back({j * 17 % 50, (j * 29 + 3) % 50, static_cast<int>(j % 3)});
  std::copy(edges.begin(), edges.end(), E.begin());
  for (int64_t i = 0; i < 50; ++i) X[i] = {double(i % 5), double(i % 7), 0.5, 1};
  double start = 0, end = 0, loss = 0;
  for (const vec& x : X) start += sum(x);
  steps(n, X, E, loss);
  for (const vec& x : X) end += sum(x);
  printed::print("sums", start, end, loss);
  printed::print_elements("X", X);
  return loss > 0 && end > start && end < 1e6 ? 0 : 1;
}

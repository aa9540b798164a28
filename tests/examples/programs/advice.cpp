// Loops that deserve advice, and loops that need none: planned at most calls, in program order for long.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <utility>

#include <stradsap/stradsap.hpp>

using stradsap::async_for;
using stradsap::dvector;

struct edge {
  int from, to;
};

static double spin(double x) {
  for (int k = 0; k < 2000; ++k) x = x * 0.999 + 1;
  return x;
}

/// All iterations write one element.
template <class Number> static double in_order(long n) {
  dvector<Number> X(10, Number{1});
  for (int pass = 0; pass < 2; ++pass)
    async_for(n, [&X](long j) { X[j - j + 3] = static_cast<Number>(spin(static_cast<double>(X[3]))); });
  return static_cast<double>(std::as_const(X)[3]);
}

/// The same, of several elements of a large container, as a sentence touches many words.
static double in_order_by_several(long n, long others) {
  dvector<double> X(1000, 1.0);
  for (int pass = 0; pass < 2; ++pass)
    async_for(n, [&X, others](long j) {
      double sum = X[3];
      for (long k = 1; k <= others; ++k) sum += X[(j * 31 + k * 7) % 1000];
      X[3] = spin(1e-3 * sum);
    });
  return std::as_const(X)[3];
}

/// Each iteration changes many elements, and no element is changed by many.
static double in_order_without_a_hot_element(long n) {
  dvector<double> X(1000, 1.0);
  for (int pass = 0; pass < 2; ++pass)
    async_for(n, [&X](long j) {  // changes many elements
      const double more = spin(1e-3 * static_cast<double>(j % 7));
      for (long k = 1; k <= 40; ++k) X[(j * 389 + k * k * 17) % 1000] += more * X[(j * 389 + k) % 1000];
      for (long k = 1; k <= 40; ++k) X[(j * 389 + k * k * 17) % 1000] *= 1e-3;
    });
  return std::as_const(X)[3];
}

static dvector<edge> random_edges(int rows, long n) {
  dvector<edge> edges(n);
  std::mt19937 draw(1);
  for (edge& e : edges) {
    e = {static_cast<int>(draw() % static_cast<unsigned>(rows)),
         static_cast<int>(draw() % static_cast<unsigned>(rows))};
  }
  return edges;
}

/// Iterations write two elements each. Between passes `main` moves an edge, or looks at all of them.
static double over_edges(bool moves) {
  constexpr int rows = 2000;
  constexpr long n = 200000;
  dvector<edge> edges = random_edges(rows, n);
  dvector<double> P(rows, 1.0), Q(rows, 1.0);
  long sum = 0;
  for (int pass = 0; pass < 60; ++pass) {
    async_for(n, [&edges, &P, &Q](long j) {
      const edge& e = edges[j];
      const double p = P[e.from];
      P[e.from] = 0.5 * (p + Q[e.to]);
      Q[e.to] = 0.25 * p + 0.75 * Q[e.to];
    });
    for (edge& e : edges) sum += e.from;
    if (moves) std::swap(edges[pass].from, edges[n - 1 - pass].from);
  }
  double all = static_cast<double>(sum);
  for (const double p : std::as_const(P)) all += p;
  return all;
}

enum class moved_by : std::uint8_t { loop, loop_and_another, value };

/// Between passes another loop moves all edges, or a captured value does. A third loop may capture them too.
static double over_moved_edges(moved_by what) {
  constexpr int rows = 2000;
  constexpr long n = 200000;
  dvector<edge> edges = random_edges(rows, n);
  dvector<double> P(rows, 1.0), Q(rows, 1.0);
  for (int row = 0; row < rows; ++row) P[row] = 1.0 / (1 + row);
  for (int pass = 0; pass < 60; ++pass) {
    const int shift = what == moved_by::value ? pass : 0;
    async_for(n, [shift, &edges, &P, &Q](long j) {
      const edge& e = edges[j];
      const int from = (e.from + shift) % rows;
      const double p = P[from];
      P[from] = 0.5 * (p + Q[e.to]);
      Q[e.to] = 0.25 * p + 0.75 * Q[e.to];
    });
    if (what == moved_by::value) continue;
    async_for(n, [&edges](long j) { edges[j].from = (edges[j].from + 1) % rows; });
    double ends = 0;
    if (what == moved_by::loop_and_another) async_for(n, [&edges, &ends](long j) { ends += edges[j].to; });
  }
  double all = 0;
  for (const double p : std::as_const(P)) all += p;
  return all;
}

/// Each pass writes the rows of a new matrix.
static double into_new_rows() {
  constexpr int rows = 300, columns = 4;
  dvector<edge> edges = random_edges(columns, rows);
  double sum = 0;
  for (int pass = 0; pass < 5; ++pass) {
    dvector<double> made(rows * columns);
    async_for(rows, [pass, &edges, &made](long j) { made[j * columns + edges[j].from] = spin(pass); });
    for (const double x : std::as_const(made)) sum += x;
  }
  return sum;
}

int main(int, char** arguments) {
  const char* const kind = arguments[1];
  if (std::strcmp(kind, "long") == 0) std::printf("%.17g\n", in_order<double>(30000));
  if (std::strcmp(kind, "whole numbers") == 0) std::printf("%.17g\n", in_order<long>(30000));
  if (std::strcmp(kind, "short") == 0) std::printf("%.17g\n", in_order<double>(2000));
  if (std::strcmp(kind, "two elements") == 0) std::printf("%.17g\n", in_order_by_several(30000, 1));
  if (std::strcmp(kind, "many elements") == 0) std::printf("%.17g\n", in_order_by_several(30000, 8));
  if (std::strcmp(kind, "no hot element") == 0) std::printf("%.17g\n", in_order_without_a_hot_element(30000));
  if (std::strcmp(kind, "new rows") == 0) std::printf("%.17g\n", into_new_rows());
  if (std::strcmp(kind, "moved") == 0) std::printf("%.17g\n", over_edges(true));
  if (std::strcmp(kind, "looked") == 0) std::printf("%.17g\n", over_edges(false));
  if (std::strcmp(kind, "by a loop") == 0) std::printf("%.17g\n", over_moved_edges(moved_by::loop));
  if (std::strcmp(kind, "by one of two") == 0)
    std::printf("%.17g\n", over_moved_edges(moved_by::loop_and_another));
  if (std::strcmp(kind, "by a value") == 0) std::printf("%.17g\n", over_moved_edges(moved_by::value));
}

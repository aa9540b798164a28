// Bodies that begin with sums over inner loops: where iterations share nothing, several run side by side. Each
// loop has a twin that runs them one by one, since std::inner_product says nothing of its own loop; both must
// end in the same bits.
#include <stradsap/stradsap.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

constexpr int K = 64;
using Row = std::array<float, K>;

struct Edge {
  int from, to;
  float value;
};

namespace math {

template <size_t N> float dot(const std::array<float, N>& p, const std::array<float, N>& q) {
  float sum = 0;
  for (size_t k = 0; k < N; ++k) sum += p[k] * q[k];
  return sum;
}

// the number of steps is an argument
double length(const float* x, int n) {
  double sum = 0;
  for (int k = 0; k < n; ++k) sum += x[k] * x[k];
  return std::sqrt(sum);
}

}  // namespace math

static float plain_dot(const Row& p, const Row& q) { return std::inner_product(p.begin(), p.end(), q.begin(), 0.0f); }
static double plain_length(const Row& p) { return std::sqrt(std::inner_product(p.begin(), p.end(), p.begin(), 0.0,
    [](double a, double b) { return a + b; }, [](float a, float b) { return a * b; })); }

static uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  return x ^ (x >> 27);
}

static void fill(stradsap::dvector<Row>& rows, uint64_t seed) {
  for (size_t i = 0; i < rows.size(); ++i) {
    for (int k = 0; k < K; ++k) rows[i][k] = static_cast<float>(mix(seed + i * K + k) % 1000) / 4000;
  }
}

static bool differ(const stradsap::dvector<Row>& a, const stradsap::dvector<Row>& b) {
  for (size_t i = 0; i < a.size(); ++i) {
    if (std::memcmp(&a[i], &b[i], sizeof(Row)) != 0) return true;
  }
  return false;
}

// two containers, a helper, structured bindings
static bool factorization(const stradsap::dvector<Edge>& edges) {
  stradsap::dvector<Row> P(300), Q(200), P1(300), Q1(200);
  fill(P, 1), fill(Q, 2), fill(P1, 1), fill(Q1, 2);
  double loss = 0, loss1 = 0;
  const int64_t n = edges.size();
  for (int pass = 0; pass < 2; ++pass) {
    stradsap::parallel_for(n, [&](int64_t j) {
      const auto& [from, to, value] = edges[j];
      Row& p = P[from % 300];
      Row& q = Q[to % 200];
      const float e = value - math::dot(p, q);
      loss += e * e;
      for (int k = 0; k < K; ++k) {
        const float old = p[k];
        p[k] += 0.01f * e * q[k];
        q[k] += 0.01f * e * old;
      }
    }, stradsap::consistency::async);
    stradsap::parallel_for(n, [&](int64_t j) {
      const auto& [from, to, value] = edges[j];
      Row& p = P1[from % 300];
      Row& q = Q1[to % 200];
      const float e = value - plain_dot(p, q);
      loss1 += e * e;
      for (int k = 0; k < K; ++k) {
        const float old = p[k];
        p[k] += 0.01f * e * q[k];
        q[k] += 0.01f * e * old;
      }
    }, stradsap::consistency::async);
  }
  return loss != loss1 || differ(P, P1) || differ(Q, Q1);
}

// one container at two places, which may be the same; values that the first phase changes
static bool graph(const stradsap::dvector<Edge>& edges, bool has_loops) {
  stradsap::dvector<Row> V(500), W(500);
  fill(V, 3), fill(W, 3);
  const int64_t n = edges.size();
  const int steps = K / 2;
  stradsap::parallel_for(n, [&V, &edges, steps, has_loops](int64_t j) {
    const int a = edges[j].from % 500;
    int b = (a + 1 + edges[j].to % 499) % 500;
    if (has_loops && j % 7 == 0) b = a;
    Row& u = V[a];
    Row& v = V[b];
    const float value = edges[j].value;
    float sum = value;
    for (int k = 0; k < steps; ++k) sum += u[k] * v[k];
    const double size = math::length(&v[0], steps) + math::length(&u[0], steps);
    if (sum < 0) return;
    u[b % K] -= sum / 100;
    v[a % K] += static_cast<float>(size) / 1000;
  }, stradsap::consistency::async);
  stradsap::parallel_for(n, [&W, &edges, steps, has_loops](int64_t j) {
    const int a = edges[j].from % 500;
    int b = (a + 1 + edges[j].to % 499) % 500;
    if (has_loops && j % 7 == 0) b = a;
    Row& u = W[a];
    Row& v = W[b];
    const float sum = std::inner_product(u.begin(), u.begin() + steps, v.begin(), edges[j].value);
    Row x{}, y{};
    std::copy_n(v.begin(), steps, x.begin());
    std::copy_n(u.begin(), steps, y.begin());
    const double size = plain_length(x) + plain_length(y);
    if (sum < 0) return;
    u[b % K] -= sum / 100;
    v[a % K] += static_cast<float>(size) / 1000;
  }, stradsap::consistency::async);
  return differ(V, W);
}

// nothing is shared: the loop's own elements, in the sums too, and the nearest of several rows
static bool nearest(const stradsap::dvector<Edge>& edges) {
  stradsap::dvector<Row> X(999), centers(5);
  fill(X, 4), fill(centers, 5);
  stradsap::dvector<int> closest(X.size());
  stradsap::dvector<float> distances(X.size());
  const int count = static_cast<int>(centers.size());
  stradsap::parallel_for(X.size(), [&](size_t i) {
    int best = 0;
    float least = INFINITY;
    for (int c = 0; c < count; ++c) {
      float d = 0;
      for (int k = 0; k < K; ++k) {
        const float difference = X[i][k] - centers[c][k];
        d += difference * difference;
      }
      if (d < least) {
        least = d;
        best = c;
      }
    }
    closest[i] = best;
    distances[i] = least + edges[i].value;
  }, stradsap::consistency::async);
  for (size_t i = 0; i < X.size(); ++i) {
    int best = 0;
    float least = INFINITY;
    for (int c = 0; c < count; ++c) {
      float d = 0;
      for (int k = 0; k < K; ++k) d += (X[i][k] - centers[c][k]) * (X[i][k] - centers[c][k]);
      if (d < least) least = d, best = c;
    }
    if (closest[i] != best || distances[i] != least + edges[i].value) return true;
  }
  return false;
}

// the iteration that fails is named, and those before it have been run
static bool failure() {
  stradsap::dvector<Row> X(100), Y(20);
  fill(X, 6), fill(Y, 7);
  stradsap::dvector<float> sums(100);
  try {
    stradsap::parallel_for(100, [&](int64_t j) {
      const Row& y = Y[j == 38 ? 1000 : j % 20];
      sums[j] = math::dot(X[j], y);
    }, stradsap::consistency::async);
  } catch (const stradsap::loop_error& e) {
    return e.iteration() != 38;
  }
  return true;
}

int main() {
  stradsap::dvector<Edge> edges(60000);
  for (size_t j = 0; j < edges.size(); ++j) {
    edges[j] = {static_cast<int>(mix(3 * j) % 100000), static_cast<int>(mix(3 * j + 1) % 100000),
                static_cast<float>(mix(3 * j + 2) % 100) / 100};
  }
  if (factorization(edges)) return 1;
  if (graph(edges, false) || graph(edges, true)) return 2;
  if (nearest(edges)) return 3;
  return failure() ? 4 : 0;
}

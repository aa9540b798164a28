// Bodies with sums of text that is easily cut at the wrong place. Their output is the same bits one by one.
// The order of iterations shows: it prints another serial order than the program's.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <type_traits>
#include <utility>

constexpr int K = 64;
using Row = std::array<float, K>;

// before the API's header
static float dotw(const Row& p, const Row& q, [[maybe_unused]] float w) {
  float s = 0;
  for (int k = 0; k < K; ++k) s += w * p[k] * q[k];
  return s;
}

#include <stradsap/stradsap.hpp>

namespace math {
inline float dot(const Row& p, const Row& q) {
  float s = 0;
  for (int k = 0; k < K; ++k) s += p[k] * q[k];
  return s;
}
float declared(const Row& p, const Row& q);
}  // namespace math
using math::dot;
float math::declared(const Row& p, const Row& q) {
  float s = 1;
  for (int k = 0; k < K; ++k) s += p[k] * q[k];
  return s;
}

static float part(const Row& p, const Row& q, int m) {
  m = m / 2;
  float s = 0;
  for (int k = 0; k < m; ++k) s += p[k] * q[k];
  return s;
}
static auto deduced(const Row& p, const Row& q) {
  float s = 2;
  for (int k = 0; k < K; ++k) s += p[k] * q[k];
  return s;
}
template <class T> requires std::is_floating_point_v<T> float chosen(const Row& p, const Row& q, T w) {
  float s = 0;
  for (int k = 0; k < K; ++k) s += w * p[k] * q[k];
  return s;
}
template <class T> requires std::is_enum_v<T> float chosen(const Row& p, const Row& q, T) {
  float s = 0;
  for (int k = 0; k < K; ++k) s += 2 * p[k] * q[k];
  return s;
}
template <class T> float scaled(const Row& p, const Row& q, T w) {
  float s = 0;
  for (int k = 0; k < K; ++k) s += w * p[k] * q[k];
  return s;
}
static float bump(float& x) { return x + 1; }
static float bump(const float& x) { return x - 1; }

struct Long {
  float x[K];
  friend float dot(const Long& a, const Row& b) {
    float s = 0;
    for (int k = 0; k < K; ++k) s += a.x[k] * b[k];
    return s;
  }
};
struct Fixed {
  int a, b;
  Fixed() = default;
  Fixed(const Fixed&) = default;
  Fixed& operator=(const Fixed&) = delete;
};
struct Edge {
  int from, to;
  float value;
};
enum class unit { one };

[[maybe_unused]] static const float e = 7;
#define UPDATE p[k] += 0.01f * e * q[k]

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
static uint64_t hash(const stradsap::dvector<Row>& rows) {
  uint64_t h = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    for (const float x : rows[i]) {
      uint32_t bits;
      std::memcpy(&bits, &x, sizeof bits);
      h = mix(h ^ bits);
    }
  }
  return h;
}

template <class Run> static void test(const char* name, const Run& run) {
  stradsap::dvector<Edge> edges(5000);
  for (size_t j = 0; j < edges.size(); ++j) {
    edges[j] = {static_cast<int>(mix(3 * j) % 300), static_cast<int>(mix(3 * j + 1) % 200),
                static_cast<float>(mix(3 * j + 2) % 100) / 100};
  }
  stradsap::dvector<Row> P(300), Q(200);
  fill(P, 1), fill(Q, 2);
  const double found = run(static_cast<int64_t>(edges.size()), edges, P, Q);
  std::printf("%s %016llx %016llx %a\n", name, static_cast<unsigned long long>(hash(std::as_const(P))),
              static_cast<unsigned long long>(hash(std::as_const(Q))), found);
}

using edge_vector = stradsap::dvector<Edge>;
using row_vector = stradsap::dvector<Row>;
using stradsap::parallel_for;
using stradsap::consistency::async;

static double reductions(int64_t n, edge_vector& edges, row_vector& P, row_vector& Q) {
  double loss = 0, most = 0;
  parallel_for(n, [&](int64_t j) {
    const Row& p = P[edges[j].from];
    const Row& q = Q[edges[j].to];
    loss = loss + dot(p, q);
    most = std::fmax(most, dot(p, q));
  }, async);
  return loss + most;
}

static double changed_bound(int64_t n, edge_vector& edges, row_vector& P, row_vector& Q) {
  parallel_for(n, [&](int64_t j) {
    Row& p = P[edges[j].from];
    Row& q = Q[edges[j].to];
    const float e = edges[j].value - part(p, q, K);
    p[0] += e, q[0] -= e;
  }, async);
  return 0.0;
}

static double commas(int64_t n, edge_vector& edges, row_vector& P, row_vector& Q) {
  parallel_for(n, [&](int64_t j) {
    Row& p = P[edges[j].from];
    Row& q = Q[edges[j].to];
    float w = 0.5f, t = 0;
    w += edges[j].value, t += dotw(p, q, w);
    const float a = 0.5f * t, b = t - dotw(p, q, a);
    p[0] += 0.01f * a, q[0] -= 0.01f * b;
  }, async);
  return 0.0;
}

static double assigned(int64_t n, edge_vector& edges, row_vector& P, row_vector& Q) {
  stradsap::dvector<float> errors(n), others(n);
  parallel_for(n, [&](int64_t j) {
    Row& p = P[edges[j].from];
    Row& q = Q[edges[j].to];
    float e = 0.25f;
    errors[j] = e = edges[j].value - dot(p, q);
    p[0] += 0.01f * e, q[0] -= 0.01f * e;
  }, async);
  parallel_for(n, [&](int64_t j) {
    float f = 0.25f;
    others[j] = (f *= 2, dot(P[edges[j].from], Q[edges[j].to]));
  }, async);
  double sum = 0;
  for (int64_t j = 0; j < n; ++j) sum += std::as_const(errors)[j] + std::as_const(others)[j];
  return sum;
}

static double macros(int64_t n, edge_vector& edges, row_vector& P, row_vector& Q) {
  parallel_for(n, [&](int64_t j) {
    Row& p = P[edges[j].from];
    Row& q = Q[edges[j].to];
    const float e = edges[j].value - dot(p, q);
    for (int k = 0; k < K; ++k) UPDATE;
  }, async);
  return 0.0;
}

static double constants(int64_t n, edge_vector& edges, row_vector& P, row_vector& Q) {
  parallel_for(n, [&](int64_t j) {
    const int m = 8;
    Row& p = P[edges[j].from];
    Row& q = Q[edges[j].to];
    const float v = edges[j].value;
    float e = 0;
    for (int k = 0; k < m; ++k) e += p[k] * q[k];
    const int last = 3;
    const float d = v - dot(p, q);
    const std::array<float, m> t{e, d};
    switch (j % 5) {
      case last: p[1] += t[0] / 100;
    }
    p[0] += bump(d) / 100, q[1] += bump(v) / 100, q[0] += bump(e) / 100;
  }, async);
  return 0.0;
}

static double hidden_names(int64_t n, edge_vector& edges, row_vector& P, row_vector& Q) {
  float rate = 3;
  rate += static_cast<float>(n % 2);
  parallel_for(n, [&](int64_t j) {
    Row& p = P[edges[j].from];
    Row& q = Q[edges[j].to];
    float sum = 0;
    for (int k = 0; k < K; ++k) {
      const float a = p[k] * rate, rate = q[k];
      sum += a * rate;
    }
    p[0] += sum / 1000, q[0] -= sum / 1000;
  }, async);
  return 0.0;
}

static double helpers(int64_t n, edge_vector& edges, row_vector& P, row_vector& Q) {
  parallel_for(n, [&](int64_t j) {
    const Row& p = P[edges[j].from];
    Row& q = Q[edges[j].to];
    const float a = math::declared(p, q) + deduced(p, q);
    const float b = chosen(p, q, 0.5f) + chosen(p, q, unit::one);
    const float c = scaled(p, q, 2) + scaled(p, q, edges[j].value);
    q[0] += (a + b + c) / 1000;
  }, async);
  stradsap::dvector<Long> longs(n);
  stradsap::dvector<Fixed> fixed(n);
  parallel_for(n, [&]<class I>(I j) {
    const Fixed f = fixed[j];
    Row& q = Q[edges[j].to];
    const float d = dot(longs[j], q) + dot(P[edges[j].from], q) + static_cast<float>(f.a + f.b);
    if (d > 1) return;
    q[0] += d / 1000;
  }, async);
  return 0.0;
}

static double no_value_yet(int64_t n, edge_vector& edges, row_vector& P, row_vector& Q) {
  parallel_for(n, [&](int64_t j) {
    Row& p = P[edges[j].from];
    Row& q = Q[edges[j].to];
    bool big;
    int sign;
    const float e = edges[j].value - dot(p, q);
    if (e > 0) {
      big = true, sign = 1;
    } else {
      big = false, sign = -1;
    }
    p[0] += static_cast<float>(sign) / 1000, q[0] += big ? 0.01f : 0;
  }, async);
  return 0.0;
}

static double nowhere(int64_t n, edge_vector& edges, row_vector& P, row_vector& Q) {
  stradsap::dvector<float> out(n);
  const auto run = [&](const stradsap::ConsistencyModel& model) {
    try {
      parallel_for(n, [&](int64_t j) {
        const int c = j == 39 ? 1000 : static_cast<int>(j % 20);
        float s = 0;
        for (int k = 0; k < K; ++k) s += Q[c][k] * P[edges[j].from][k];
        out[j] = s;
      }, model);
    } catch (const stradsap::loop_error& failed) {
      return static_cast<double>(failed.iteration());
    }
    return -1.0;
  };
  return run(async) + run(stradsap::consistency::ordered);
}

int main() {
  test("reductions", reductions);
  test("changed bound", changed_bound);
  test("commas", commas);
  test("assigned", assigned);
  test("macros", macros);
  test("constants", constants);
  test("hidden names", hidden_names);
  test("helpers", helpers);
  test("no value yet", no_value_yet);
  test("nowhere", nowhere);
}

// Loops of many kinds, several passes each: elements of all sorts, reductions, random draws, insertions,
// functors, all three models. Prints a hash after each. Updates do not commute, so the hashes show every
// order.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::dmap;
using stradsap::dvector;
namespace consistency = stradsap::consistency;

using row = std::array<float, 8>;
struct edge {
  int from;
  int to;
  float weight;
};
struct node {
  std::string name;
  std::vector<double> marks;
  double value = 1;
};
struct totals {
  long count = 0;
  double most = -1e300;
  double sum = 0;
};

constexpr int num_nodes = 400;
constexpr int num_edges = 6000;

static std::uint64_t mix(std::uint64_t hash, double x) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &x, sizeof bits);
  return (hash ^ bits) * 0x9e3779b97f4a7c15u + (hash >> 7);
}
static void print(const char* name, std::uint64_t hash) {
  std::printf("%s %016llx\n", name, static_cast<unsigned long long>(hash));
}

static void rows(const dvector<edge>& edges, const stradsap::ConsistencyModel& model) {
  dvector<row> P(num_nodes), Q(num_nodes / 2);
  for (int i = 0; i < num_nodes; ++i) P[i][i % 8] = 1;
  for (int i = 0; i < num_nodes / 2; ++i) Q[i].fill(0.25f);
  double loss = 0;
  for (int pass = 0; pass < 3; ++pass) {
    stradsap::parallel_for(
        num_edges,
        [&edges, &P, &Q, &loss](int j) {
          const edge& e = edges[j];
          row& p = P[e.from];
          row& q = Q[e.to / 2];
          float error = e.weight;
          for (int k = 0; k < 8; ++k) error -= p[k] * q[k];
          for (int k = 0; k < 8; ++k) {
            const float before = p[k];
            p[k] += 0.02f * (error * q[k] - 0.01f * p[k]);
            q[k] += 0.02f * (error * before - 0.01f * q[k]);
          }
          loss += error * error;
        },
        model);
  }
  std::uint64_t hash = mix(0, loss);
  for (const row& p : std::as_const(P)) hash = mix(hash, p[3]);
  for (const row& q : std::as_const(Q)) hash = mix(hash, q[5]);
  print("rows", hash);
}

static void nodes(const dvector<edge>& edges, const stradsap::ConsistencyModel& model) {
  dvector<node> N(num_nodes);
  dvector<double> out(num_edges);
  totals all;
  stradsap::parallel_for(
      num_edges,
      [&edges, &N, &out, &all](int j) {
        const edge& e = edges[j];
        node& a = N[e.from];
        const node& b = N[e.to];
        a.value = a.value * 0.75 + b.value * e.weight + 0.5;
        if (a.marks.size() < 5) a.marks.push_back(b.value);
        if (a.name.size() < 20) a.name += static_cast<char>('a' + j % 26);
        out[j] = a.value - b.value;
        all.count += 1;
        all.sum += a.value;
        all.most = std::max(all.most, a.value);
      },
      model);
  std::uint64_t hash = mix(mix(mix(1, all.sum), all.most), static_cast<double>(all.count));
  for (const node& n : std::as_const(N)) {
    hash = mix(hash, n.value);
    for (const char c : n.name) hash = mix(hash, c);
    for (const double m : n.marks) hash = mix(hash, m);
  }
  for (const double x : std::as_const(out)) hash = mix(hash, x);
  print("nodes", hash);
}

static void words(const stradsap::ConsistencyModel& model) {
  dmap<std::string, double> count;
  dmap<long, long> pairs;
  for (int pass = 0; pass < 2; ++pass) {
    stradsap::parallel_for(
        3000,
        [pass, &count, &pairs](int j) {
          const int word = (j * 2654435761u >> 8) % (200 + 50 * pass);
          double& c = count[std::to_string(word) + "w"];
          c = c * 0.5 + j;
          pairs[word % 7 - j % 5] += word;
        },
        model);
  }
  std::uint64_t hash = 2;
  for (const auto& [word, c] : std::as_const(count))
    hash = mix(mix(hash, c), static_cast<double>(word.size() + word.back()));
  for (const auto& [key, c] : std::as_const(pairs)) hash = mix(hash, static_cast<double>(c * 31 + key));
  print("words", hash);
}

static void draws(const stradsap::ConsistencyModel& model) {
  dvector<double> X(num_nodes, 1.0);
  double sum = 0;
  for (int pass = 0; pass < 3; ++pass) {
    stradsap::parallel_for(
        4000,
        [&X, &sum](std::int64_t j) {
          auto draw = stradsap::random(j);
          double& x = X[draw.below(num_nodes)];
          x = x * 0.9 + draw.normal();
          sum += x;
        },
        model);
  }
  std::uint64_t hash = mix(3, sum);
  for (const double x : std::as_const(X)) hash = mix(hash, x);
  print("draws", hash);
}

/// Rows of a matrix in place: aligned, listed beside elements that are written elsewhere, and read by a
/// neighbour.
static void aligned(const dvector<edge>& edges, const stradsap::ConsistencyModel& model) {
  dvector<double> own(num_edges, 2.0), shared(num_nodes, 1.0);
  for (int pass = 0; pass < 2; ++pass) {
    stradsap::parallel_for(
        num_edges,
        [&edges, &own, &shared](int j) {
          double& s = shared[edges[j].to];
          own[j] = own[j] * 0.5 + s;
          s = s * 0.99 + own[j] * 0.001;
        },
        model);
    stradsap::parallel_for(num_edges, [&own](int j) { own[j] = std::sqrt(own[j] * own[j] + 1); }, model);
    stradsap::parallel_for(num_edges - 1, [&own](int j) { own[j + 1] = own[j] * 0.5 + own[j + 1]; }, model);
  }
  std::uint64_t hash = 4;
  for (const double x : std::as_const(own)) hash = mix(hash, x);
  for (const double x : std::as_const(shared)) hash = mix(hash, x);
  print("aligned", hash);
}

struct spread {
  double by;
  const dvector<edge>& edges;
  dvector<double>& X;
  void operator()(int j) const {
    double& to = X[edges[j].to];
    to = to * by + X[edges[j].from];
  }
};

static void functor(const dvector<edge>& edges, const stradsap::ConsistencyModel& model) {
  dvector<double> X(num_nodes, 1.0);
  for (const double by : {0.25, 0.5}) stradsap::parallel_for(num_edges, spread{by, edges, X}, model);
  std::uint64_t hash = 5;
  for (const double x : std::as_const(X)) hash = mix(hash, x);
  print("functor", hash);
}

int main() {
  dvector<edge> edges(num_edges);
  for (int j = 0; j < num_edges; ++j) {
    auto draw = stradsap::random(j);
    edges[j] = {static_cast<int>(draw.below(num_nodes)), static_cast<int>(draw.below(num_nodes)),
                static_cast<float>(draw.uniform())};
  }
  const stradsap::ConsistencyModel models[] = {consistency::async, consistency::sync(500),
                                               consistency::ordered, consistency::sync};
  for (const auto& model : models) {
    rows(edges, model);
    nodes(edges, model);
    words(model);
    draws(model);
    aligned(edges, model);
    functor(edges, model);
  }
}

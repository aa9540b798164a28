// Loops that access places which depend on their own writes, each beside the plain loop over std::vectors.
// Prints the seconds of both, and DIFFERS if their results are not the same.
//
//     stradsap-cc -O3 -march=native benchmarks/transactions.cpp -o transactions
//     STRADSAP_THREADS=2 ./transactions
//
// With -DLONG_ITERATIONS, an iteration of the last loop takes eight times as long.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

using edge = std::pair<int, int>;

static constexpr int num_vertices = 1000000, num_edges = 2000000;
static constexpr int num_points = 1000000, num_centers = 16;
#ifdef LONG_ITERATIONS
using features = std::array<float, 1024>;
static constexpr int num_records = 4000, num_pairs = 60000;
static constexpr float alike = 520;
#else
using features = std::array<float, 128>;
static constexpr int num_records = 20000, num_pairs = 400000;
static constexpr float alike = 61;
#endif

static std::uint64_t state = 1;
static std::uint64_t draw(std::uint64_t below) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (state >> 33) % below;
}

static double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <class T> static std::uint64_t hash_of(const T& elements) {
  std::uint64_t hash = 14695981039346656037u;
  for (const auto& one : elements) {
    std::uint32_t words[sizeof one / 4];
    std::memcpy(words, &one, sizeof one);
    for (const std::uint32_t word : words) hash = (hash ^ word) * 1099511628211u;
  }
  return hash;
}

static int num_wrong = 0;

static void report(const char* name, double plain, double ours, bool is_same) {
  std::printf("%-18s plain %.3f s  transactions %.3f s  x%.2f%s\n", name, plain, ours, ours / plain,
              is_same ? "" : "  DIFFERS");
  num_wrong += is_same ? 0 : 1;
}

template <class Parents> static int find(Parents& parent, int v) {
  while (parent[v] != v) {
    parent[v] = parent[parent[v]];
    v = parent[v];
  }
  return v;
}

static void union_find(const std::vector<edge>& list, const stradsap::dvector<edge>& edges) {
  std::vector<int> p(num_vertices);
  for (int v = 0; v < num_vertices; ++v) p[v] = v;
  double start = now();
  for (const auto& [from, to] : list) {
    const int a = find(p, from), b = find(p, to);
    if (a != b) p[std::max(a, b)] = std::min(a, b);
  }
  const double plain = now() - start;
  stradsap::dvector<int> parent(num_vertices);
  for (int v = 0; v < num_vertices; ++v) parent[v] = v;
  start = now();
  stradsap::async_for(edges.size(), [&edges, &parent](int64_t j) {
    const int a = find(parent, edges[j].first), b = find(parent, edges[j].second);
    if (a != b) parent[std::max(a, b)] = std::min(a, b);
  });
  const double ours = now() - start;
  report("union-find", plain, ours, hash_of(p) == hash_of(std::as_const(parent)));
}

static void matching(const std::vector<edge>& list, const stradsap::dvector<edge>& edges) {
  std::vector<int> q(num_vertices, -1), used(num_vertices);
  double start = now();
  for (const auto& [a, b] : list) {
    if (a == b || q[a] >= 0 || q[b] >= 0) continue;
    q[a] = b;
    q[b] = a;
    used[q[a]] += 1;
  }
  const double plain = now() - start;
  stradsap::dvector<int> partner(num_vertices, -1), uses(num_vertices);
  start = now();
  stradsap::async_for(edges.size(), [&edges, &partner, &uses](int64_t j) {
    const auto [a, b] = edges[j];
    if (a == b || partner[a] >= 0 || partner[b] >= 0) return;
    partner[a] = b;
    partner[b] = a;
    uses[partner[a]] += 1;
  });
  const double ours = now() - start;
  report("greedy matching", plain, ours,
         hash_of(q) == hash_of(std::as_const(partner)) && hash_of(used) == hash_of(std::as_const(uses)));
}

struct center {
  double x = 0, y = 0, count = 0;
};

/// Each point moves the center that is nearest at that time.
template <class Centers> static int move_nearest(Centers& centers, double x, double y) {
  int best = 0;
  double least = 1e300;
  for (int c = 0; c < num_centers; ++c) {
    const double dx = x - centers[c].x, dy = y - centers[c].y;
    if (dx * dx + dy * dy >= least) continue;
    least = dx * dx + dy * dy;
    best = c;
  }
  auto& nearest = centers[best];
  nearest.count += 1;
  nearest.x += (x - nearest.x) / nearest.count;
  nearest.y += (y - nearest.y) / nearest.count;
  return best;
}

static void streaming_k_means() {
  std::vector<std::array<double, 2>> list(num_points);
  for (auto& [x, y] : list) {
    x = static_cast<double>(draw(1000)) + 300.0 * static_cast<double>(draw(4));
    y = static_cast<double>(draw(1000)) + 300.0 * static_cast<double>(draw(4));
  }
  std::vector<center> c(num_centers);
  for (int k = 0; k < num_centers; ++k) c[k] = {100.0 * k, 1500.0 - 90.0 * k, 1};
  stradsap::dvector<center> centers(c.begin(), c.end());
  stradsap::dvector<std::array<double, 2>> points(list.begin(), list.end());
  std::vector<int> of(num_points);
  double start = now();
  for (int j = 0; j < num_points; ++j) of[j] = move_nearest(c, list[j][0], list[j][1]);
  const double plain = now() - start;
  stradsap::dvector<int> label(num_points);
  start = now();
  stradsap::async_for(num_points, [&points, &centers, &label](int64_t j) {
    label[j] = move_nearest(centers, points[j][0], points[j][1]);
  });
  const double ours = now() - start;
  report("streaming k-means", plain, ours,
         hash_of(c) == hash_of(std::as_const(centers)) && hash_of(of) == hash_of(std::as_const(label)));
}

static float distance(const features& a, const features& b) {
  float sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::sqrt(std::abs(a[i] - b[i]));
  return sum;
}

/// Joins pairs of records that are alike and not yet in one set. The comparison is most of a pair's cost.
static void join_alike() {
  std::vector<features> list(num_records);
  for (features& one : list)
    for (float& x : one) x = static_cast<float>(draw(1024)) / 1024;
  std::vector<edge> candidates(num_pairs);
  for (auto& [a, b] : candidates)
    a = static_cast<int>(draw(num_records)), b = static_cast<int>(draw(num_records));
  stradsap::dvector<features> records(list.begin(), list.end());
  stradsap::dvector<edge> pairs(candidates.begin(), candidates.end());
  std::vector<int> p(num_records);
  for (int v = 0; v < num_records; ++v) p[v] = v;
  double start = now();
  for (const auto& [from, to] : candidates) {
    const int a = find(p, from), b = find(p, to);
    if (a != b && distance(list[a], list[b]) < alike) p[std::max(a, b)] = std::min(a, b);
  }
  const double plain = now() - start;
  stradsap::dvector<int> parent(num_records);
  for (int v = 0; v < num_records; ++v) parent[v] = v;
  start = now();
  stradsap::async_for(num_pairs, [&pairs, &records, &parent](int64_t j) {
    const int a = find(parent, pairs[j].first), b = find(parent, pairs[j].second);
    if (a != b && distance(records[a], records[b]) < alike) parent[std::max(a, b)] = std::min(a, b);
  });
  const double ours = now() - start;
  report("join what is alike", plain, ours, hash_of(p) == hash_of(std::as_const(parent)));
}

int main() {
  std::vector<edge> list(num_edges);
  for (auto& [a, b] : list)
    a = static_cast<int>(draw(num_vertices)), b = static_cast<int>(draw(num_vertices));
  const stradsap::dvector<edge> edges(list.begin(), list.end());
  union_find(list, edges);
  matching(list, edges);
  streaming_k_means();
  join_alike();
  return num_wrong == 0 ? 0 : 1;
}

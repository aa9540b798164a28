// k-means on grid points: assignments are aligned, sums of clusters are found by the nearest centre.
#include <array>
#include <cstdint>
#include <vector>

#include <stradsap/stradsap.hpp>

using Point = std::array<int, 2>;

struct Cluster {
  std::array<long, 2> sum{};
  long count = 0;
};

static long squared_distance(const Point& a, const Point& b) {
  long sum = 0;
  for (size_t d = 0; d < a.size(); ++d) sum += static_cast<long>(a[d] - b[d]) * (a[d] - b[d]);
  return sum;
}

static int nearest(const Point& p, const std::vector<Point>& centers) {
  int best = 0;
  for (size_t c = 1; c < centers.size(); ++c) {
    if (squared_distance(p, centers[c]) < squared_distance(p, centers[best])) best = static_cast<int>(c);
  }
  return best;
}

template <class Clusters>
static void move_centers(std::vector<Point>& centers, const Clusters& clusters) {
  for (size_t c = 0; c < centers.size(); ++c) {
    const Cluster& cluster = clusters[c];
    if (cluster.count == 0) continue;
    for (int d = 0; d < 2; ++d) centers[c][d] = static_cast<int>(cluster.sum[d] / cluster.count);
  }
}

int main() {
  const int n = 3000, k = 6, rounds = 4;
  std::vector<Point> data(n);
  for (int j = 0; j < n; ++j) data[j] = {j * 37 % 101 + j % 3 * 200, j * 53 % 97 + j % 2 * 300};
  std::vector<Point> centers(data.begin(), data.begin() + k), expected = centers;

  const stradsap::dvector<Point> points(data.begin(), data.end());
  stradsap::dvector<int> assignment(n);
  for (int round = 0; round < rounds; ++round) {
    stradsap::dvector<Cluster> clusters(k);
    long changed = 0;
    stradsap::parallel_for(points.size(), [&, centers](size_t i) {
      const int best = nearest(points[i], centers);
      if (assignment[i] != best) ++changed;
      assignment[i] = best;
      Cluster& cluster = clusters[best];
      for (int d = 0; d < 2; ++d) cluster.sum[d] += points[i][d];
      ++cluster.count;
    }, stradsap::consistency::async);
    move_centers(centers, clusters);
    if (changed == 0) break;
  }

  for (int round = 0; round < rounds; ++round) {
    std::vector<Cluster> clusters(k);
    for (const Point& p : data) {
      Cluster& cluster = clusters[nearest(p, expected)];
      for (int d = 0; d < 2; ++d) cluster.sum[d] += p[d];
      ++cluster.count;
    }
    move_centers(expected, clusters);
  }
  return centers == expected ? 0 : 1;
}

// kmeans on StradsAP with the distances of the rivals by hand: sixteen centers to a register.

#include <stradsap/stradsap.hpp>

#include "part.hpp"

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  const int64_t n = options.points;
  const int k = options.clusters;
  stradsap::dvector<Point> points(n);
  make_points(points, k);
  std::vector<Point> centers(points.begin(), points.begin() + k);
  stradsap::dvector<Point> sums(k);
  stradsap::dvector<int64_t> counts(k);

  for (int pass = 0; pass < options.passes; ++pass) {
    const double start = seconds_now();
    const std::vector<Group> groups = make_groups(centers);
    sums.assign(k, Point{});
    counts.assign(k, 0);
    double inertia = 0;
    stradsap::async_for(n, [&](int64_t i) {
      const auto [distance, nearest] = find_nearest(points[i], groups);
      for (int d = 0; d < D; ++d) sums[nearest][d] += points[i][d];
      ++counts[nearest];
      inertia += distance;
    });
    for (int c = 0; c < k; ++c) {
      for (int d = 0; d < D && counts[c] > 0; ++d) centers[c][d] = sums[c][d] / counts[c];
    }
    std::printf("pass=%d seconds=%.6f inertia=%.6g\n", pass, seconds_now() - start, inertia / n);
  }
  return 0;
}

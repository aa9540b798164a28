// examples/kmeans/sequential.cpp with its points, centers and sums in flat vectors.

#include "program.hpp"

static float distance(const float* a, const float* b) {
  float sum = 0;
  for (int d = 0; d < D; ++d) sum += (a[d] - b[d]) * (a[d] - b[d]);
  return sum;
}

/// The original's points.
static void make_flat_points(auto& flat, int clusters) {
  std::vector<Point> points(flat.size() / D);
  make_points(points, clusters);
  for (size_t i = 0; i < points.size(); ++i) std::copy(points[i].begin(), points[i].end(), &flat[i * D]);
}

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  const int64_t n = options.points;
  const int k = options.clusters;
  std::vector<float> points(n * D);
  make_flat_points(points, k);
  std::vector<float> centers(points.begin(), points.begin() + k * D);
  std::vector<float> sums(k * D);
  std::vector<int64_t> counts(k);

  for (int pass = 0; pass < options.passes; ++pass) {
    const double start = seconds_now();
    sums.assign(k * D, 0);
    counts.assign(k, 0);
    double inertia = 0;
    for (int64_t i = 0; i < n; ++i) {
      const float* point = &points[i * D];
      int nearest = 0;
      float least = distance(point, &centers[0]);
      for (int c = 1; c < k; ++c) {
        const float d = distance(point, &centers[c * D]);
        if (d < least) {
          least = d;
          nearest = c;
        }
      }
      for (int d = 0; d < D; ++d) sums[nearest * D + d] += point[d];
      ++counts[nearest];
      inertia += least;
    }
    for (int c = 0; c < k; ++c) {
      for (int d = 0; d < D && counts[c] > 0; ++d) centers[c * D + d] = sums[c * D + d] / counts[c];
    }
    std::printf("pass=%d seconds=%.6f inertia=%.6g\n", pass, seconds_now() - start, inertia / n);
  }
}

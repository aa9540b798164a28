// k-means clustering (Lloyd's algorithm) of points in a plane of many dimensions, one thread, standard
// containers.
//
// A pass assigns each point to the nearest center and then moves each center to the mean of its points.
// Lloyd: Least squares quantization in PCM, IEEE Transactions on Information Theory, 1982.
//
//   g++ -std=c++20 -O3 -march=native sequential.cpp -o sequential
//   ./sequential --points 200000 --clusters 64 --passes 10
//   ./sequential --data points.csv --clusters 64 --passes 10

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

constexpr int D = 16;
using Point = std::array<float, D>;

struct Options {
  std::string data;  // CSV of D columns with a header; empty: points are generated
  int64_t points = 200000;
  int clusters = 64, passes = 10;
};

static Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--data") == 0) options.data = argv[i + 1];
    if (std::strcmp(argv[i], "--points") == 0) options.points = std::atoll(argv[i + 1]);
    if (std::strcmp(argv[i], "--clusters") == 0) options.clusters = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--passes") == 0) options.passes = std::atoi(argv[i + 1]);
  }
  return options;
}

/// Points around random centers.
static void make_points(auto& points, int clusters) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<Point> centers(clusters);
  for (Point& center : centers) {
    for (float& x : center) x = 3 * normal(random);
  }
  for (auto& point : points) {
    const Point& center = centers[random() % clusters];
    for (int d = 0; d < D; ++d) point[d] = center[d] + normal(random);
  }
}

static float distance(const Point& a, const Point& b) {
  float sum = 0;
  for (int d = 0; d < D; ++d) sum += (a[d] - b[d]) * (a[d] - b[d]);
  return sum;
}

/// A line of names, then a line of D numbers for each point.
static void read_points(auto& points, const Options& options) {
  std::ifstream file(options.data);
  if (!file) throw std::runtime_error(options.data + ": cannot be read");
  std::string line, field;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    Point point;
    int d = 0;
    for (; d < D && std::getline(fields, field, ','); ++d) point[d] = std::stof(field);
    if (d < D || !fields.eof()) throw std::runtime_error(options.data + ": expected D columns: " + line);
    points.push_back(point);
  }
  if (std::ssize(points) < options.clusters)
    throw std::runtime_error(options.data + ": fewer points than clusters");
}

static double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int main(int argc, char** argv) try {
  const Options options = parse_options(argc, argv);
  const int k = options.clusters;
  std::vector<Point> points(options.data.empty() ? options.points : 0);
  options.data.empty() ? make_points(points, k) : read_points(points, options);
  const int64_t n = points.size();
  std::vector<Point> centers(points.begin(), points.begin() + k);
  std::vector<Point> sums(k);
  std::vector<int64_t> counts(k);

  for (int pass = 0; pass < options.passes; ++pass) {
    const double start = seconds_now();
    sums.assign(k, Point{});
    counts.assign(k, 0);
    double inertia = 0;
    for (int64_t i = 0; i < n; ++i) {
      int nearest = 0;
      float least = distance(points[i], centers[0]);
      for (int c = 1; c < k; ++c) {
        const float d = distance(points[i], centers[c]);
        if (d < least) {
          least = d;
          nearest = c;
        }
      }
      for (int d = 0; d < D; ++d) sums[nearest][d] += points[i][d];
      ++counts[nearest];
      inertia += least;
    }
    for (int c = 0; c < k; ++c) {
      for (int d = 0; d < D && counts[c] > 0; ++d) centers[c][d] = sums[c][d] / counts[c];
    }
    std::printf("pass=%d seconds=%.6f inertia=%.6g\n", pass, seconds_now() - start, inertia / n);
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}

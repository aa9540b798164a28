// k-means with points, centers and sums of Eigen's: dynamic, fixed, in structs, and maps over
// flat numbers. Fractions, so the bits show any other grouping of the additions. argv[1]: dynamic, fixed,
// flat.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <eigen3/Eigen/Core>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

using Eigen::VectorXf;
using stradsap::async_for;
using stradsap::dvector;

constexpr int N = 6000, D = 13, K = 9, passes = 5;
using Point = Eigen::Matrix<float, D, 1>;

struct Cluster {
  Point sum = Point::Zero();
  int count = 0;
};

static float coordinate(int i, int k) {
  return static_cast<float>((i % K) * (k % 5)) + 1.0f / static_cast<float>(1 + (i * 31 + k * 17) % 97);
}

template <class Center> static int nearest(const auto& x, const std::vector<Center>& centers) {
  int best = 0;
  float least = 1e30f;
  for (int c = 0; c < K; ++c) {
    float far = 0;
    for (int k = 0; k < D; ++k) far += (x[k] - centers[c][k]) * (x[k] - centers[c][k]);
    if (far < least) least = far, best = c;
  }
  return best;
}

static void print(const std::vector<VectorXf>& centers) {
  for (const VectorXf& one : centers) {
    for (int k = 0; k < D; ++k) std::printf("%.9g ", one[k]);
    std::printf("\n");
  }
}

template <class X> static void begin(dvector<X>& points, std::vector<VectorXf>& centers) {
  for (int i = 0; i < N; ++i)
    for (int k = 0; k < D; ++k) points[i][k] = coordinate(i, k);
  for (int c = 0; c < K; ++c)
    for (int k = 0; k < D; ++k) centers[c][k] = coordinate(c * 7, k) + 0.1f;
}

static void run_dynamic() {
  dvector<VectorXf> points(N, VectorXf::Zero(D)), sums(K, VectorXf::Zero(D));
  dvector<int> counts(K);
  std::vector<VectorXf> centers(K, VectorXf::Zero(D));
  begin(points, centers);
  for (int pass = 0; pass < passes; ++pass) {
    for (int c = 0; c < K; ++c) sums[c].setZero(), counts[c] = 0;
    async_for(N, [&](int64_t i) {
      const int best = nearest(points[i], centers);
      sums[best] += points[i];
      ++counts[best];
    });
    for (int c = 0; c < K; ++c) centers[c] = sums[c] / static_cast<float>(std::max(1, counts[c]));
  }
  print(centers);
}

static void run_fixed() {
  dvector<Point> points(N);
  dvector<Point> weighted(K, Point::Zero());
  dvector<Cluster> clusters(K);
  std::vector<VectorXf> centers(K, VectorXf::Zero(D));
  begin(points, centers);
  for (int pass = 0; pass < passes; ++pass) {
    for (int c = 0; c < K; ++c) clusters[c] = {};
    async_for(N, [&](int64_t i) {
      const int best = nearest(points[i], centers);
      weighted[best].noalias() -= 1.0f / static_cast<float>(i + 1) * points[i];
      clusters[best].sum += points[i];
      ++clusters[best].count;
    });
    for (int c = 0; c < K; ++c)
      centers[c] = clusters[c].sum / static_cast<float>(std::max(1, clusters[c].count)) + 1e-3f * weighted[c];
  }
  print(centers);
}

static void run_flat() {
  dvector<Point> points(N);
  dvector<float> sums(K * D);
  dvector<int> counts(K);
  std::vector<VectorXf> centers(K, VectorXf::Zero(D));
  begin(points, centers);
  for (int pass = 0; pass < passes; ++pass) {
    sums.assign(K * D, 0);
    counts.assign(K, 0);
    async_for(N, [&](int64_t i) {
      const int best = nearest(points[i], centers);
      Eigen::Map<Point>(&sums[best * D]) += points[i];
      ++counts[best];
    });
    for (int c = 0; c < K; ++c)
      for (int k = 0; k < D; ++k)
        centers[c][k] = std::as_const(sums)[c * D + k] / static_cast<float>(std::max(1, counts[c]));
  }
  print(centers);
}

int main(int, char** argv) {
  const std::string kind = argv[1];
  if (kind == "dynamic") run_dynamic();
  if (kind == "fixed") run_fixed();
  if (kind == "flat") run_flat();
}

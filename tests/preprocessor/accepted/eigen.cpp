// Matrices of Eigen as elements, captured objects and views of flat elements; prints another serial order.
// g++ 12 warns of its own header for AVX-512
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <eigen3/Eigen/Dense>

#include <cmath>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

#include "../printed.hpp"

using Eigen::MatrixXd;
using Eigen::VectorXd;
using stradsap::dvector;

constexpr int K = 8;
using Row = Eigen::Matrix<float, K, 1>;

struct Rating {
  int user, item;
  float value;
};

struct Component {
  Eigen::Vector4d mean = Eigen::Vector4d::Zero();
  Eigen::Matrix4d covariance = Eigen::Matrix4d::Identity();
  double weight = 1.0 / 3;
};

/// Rows of a fixed size, through references.
static void factorize() {
  const int users = 60, items = 40, n = 3000;
  dvector<Rating> R(n);
  dvector<Row> P(users), Q(items);
  for (int u = 0; u < users; ++u) P[u].setConstant(0.1f + 0.01f * float(u % 7));
  for (int i = 0; i < items; ++i)
    for (int k = 0; k < K; ++k) Q[i](k) = 0.2f + 0.01f * float((i + k) % 5);
  for (int j = 0; j < n; ++j) R[j] = {j * 7 % users, j * 11 % items, float(j % 5)};
  double loss = 0;
  for (int pass = 0; pass < 3; ++pass) {
    stradsap::async_for(n, [&](int64_t j) {
      const Rating& r = R[j];
      Row& p = P[r.user];
      Row& q = Q[r.item];
      const float e = r.value - p.dot(q);
      const Row before = p;
      p += 0.02f * (e * q - 0.01f * p);
      q += 0.02f * (e * before - 0.01f * q);
      loss += e * e;
    });
  }
  printed::print_elements("factors", std::as_const(P), [](const Row& p) { return std::round(p.sum()); });
  printed::print("loss", std::round(loss));
}

/// Vectors of dynamic size, beside a captured matrix and blocks of it.
static void cluster() {
  const int n = 300, d = 10, clusters = 4;
  MatrixXd X(n, d);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < d; ++k) X(i, k) = (i % clusters) * (k % 3) + 0.01 * ((i * 31 + k) % 17);
  dvector<VectorXd> center(clusters, VectorXd::Zero(d)), sum(clusters, VectorXd::Zero(d));
  dvector<int> count(clusters), best(n);
  for (int c = 0; c < clusters; ++c) center[c] = X.row(c).transpose();
  for (int pass = 0; pass < 3; ++pass) {
    for (int c = 0; c < clusters; ++c) sum[c].setZero(), count[c] = 0;
    stradsap::async_for(n, [&](int64_t i) {
      const auto x = X.row(i);
      double least = 1e300;
      for (int c = 0; c < clusters; ++c) {
        const double far = (x.transpose() - center[c]).squaredNorm();
        if (far < least) least = far, best[i] = c;
      }
      sum[best[i]] += x.transpose();
      ++count[best[i]];
    });
    for (int c = 0; c < clusters; ++c) center[c] = sum[c] / std::max(1, count[c]);
  }
  printed::print_elements("centers", std::as_const(center));
}

/// Each shard of a batch has private vectors; their changes are added.
static void descend() {
  const int n = 400, d = 6;
  MatrixXd X(n, d);
  VectorXd y(n);
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < d; ++k) X(i, k) = std::sin(i * (k + 1));
    y[i] = X(i, 0) - X(i, 3) > 0;
  }
  VectorXd w = VectorXd::Zero(d);
  dvector<VectorXd> gradient(1);
  for (int first = 0; first < n; first += 100) {
    gradient[0].setZero(d);
    stradsap::parallel_for(
        100,
        [&](int64_t j) {
          const auto x = X.row(first + j);
          const double p = 1 / (1 + std::exp(-x.dot(w)));
          gradient[0].noalias() += (p - y(first + j)) * x.transpose();
        },
        stradsap::consistency::sync);
    w -= 0.05 * gradient[0];
  }
  for (int k = 0; k < d; ++k) printed::print("weight", std::round(1e9 * w[k]));
}

/// Members of structs, and vectors that a body makes.
static void mix() {
  const int n = 200, components = 3;
  dvector<Eigen::Vector4d> x(n);
  dvector<Component> c(components);
  dvector<Eigen::Vector3d> share(n);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < 4; ++k) x[i](k) = 3 * (i % components) + 0.1 * ((i * 13 + k) % 11);
  for (int k = 0; k < components; ++k) c[k].mean = x[k];
  for (int pass = 0; pass < 3; ++pass) {
    stradsap::async_for(n, [&](int64_t i) {
      Eigen::Vector3d p;
      for (int k = 0; k < components; ++k) {
        const Eigen::LLT<Eigen::Matrix4d> factors(c[k].covariance);
        const Eigen::Vector4d z = factors.matrixL().solve(x[i] - c[k].mean);
        p[k] = c[k].weight * std::exp(-0.5 * z.squaredNorm()) + 1e-12;
      }
      share[i] = p / p.sum();
    });
    stradsap::async_for(components, [&](int64_t k) {
      Eigen::Vector4d mean = Eigen::Vector4d::Zero();
      double total = 0;
      for (int i = 0; i < n; ++i) {
        mean += share[i][k] * x[i];
        total += share[i](k);
      }
      mean /= total;
      Eigen::Matrix4d covariance = 0.1 * Eigen::Matrix4d::Identity();
      for (int i = 0; i < n; ++i) {
        const Eigen::Vector4d apart = x[i] - mean;
        covariance.noalias() += share[i](k) / total * apart * apart.transpose();
      }
      c[k].mean = mean;
      c[k].covariance = covariance;
      c[k].weight = total / n;
    });
  }
  for (const Component& one : std::as_const(c)) printed::print("component", std::round(1e6 * one.covariance.trace()));
}

/// Maps of flat elements: their sizes tell how far a pointer goes.
static void scale() {
  const int rows = 50, columns = 16;
  dvector<float> A(rows * columns), B(rows * 4);
  dvector<int> at(rows);
  for (int i = 0; i < rows; ++i) at[i] = i * 7 % rows;
  for (int k = 0; k < rows * columns; ++k) A[k] = float(k % 13);
  stradsap::async_for(rows, [&](int64_t i) {
    Eigen::Map<Eigen::VectorXf> a(&A[at[i] * columns], columns);
    Eigen::Map<Eigen::Matrix2f> b(&B[at[i] * 4]);
    Eigen::Map<const Eigen::MatrixXf> square(&A[at[i] * columns], 4, 4);
    b = square.topLeftCorner<2, 2>();
    a *= 0.5f;
    a.head(3).array() += 1.0f;
  });
  printed::print_elements("scaled", A);
  printed::print_elements("corners", B);
}

static void pull(Eigen::Ref<VectorXd> to, const Eigen::Ref<const VectorXd>& from) { to += 0.5 * (from - to); }

/// Writes through views that look const: copies of views, arguments, and functions that change a const argument.
static void write_through_views() {
  const int n = 60, d = 6;
  dvector<VectorXd> a(n, VectorXd::Zero(d)), b(n, VectorXd::Zero(d));
  dvector<Eigen::Vector2d> c(n);
  dvector<int> at(n);
  for (int i = 0; i < n; ++i) {
    at[i] = i * 7 % n;
    for (int k = 0; k < d; ++k) a[i][k] = i + 0.1 * k, b[i][k] = 2 * i - k;
    c[i] << i % 5, i % 7;
  }
  const Eigen::Matrix2d L = 2 * Eigen::Matrix2d::Identity();
  for (int pass = 0; pass < 3; ++pass) {
    stradsap::async_for(n, [&](int64_t j) {
      const int i = at[j];
      pull(a[i].head(3), b[at[i]].tail(3));
      auto view = a[i].tail(2);
      auto again = view;
      again *= 0.75;
    });
    stradsap::async_for(n, [&](int64_t j) {
      a[at[j]].head(2).swap(b[at[j]].head(2));
      L.triangularView<Eigen::Lower>().solveInPlace(c[at[j]]);
    });
  }
  printed::print_elements("pulled", a, [](const VectorXd& one) { return std::round(100 * one.sum() + 0.17); });
  printed::print_elements("swapped", b, [](const VectorXd& one) { return std::round(100 * one.sum() + 0.17); });
  printed::print_elements("solved", c, [](const Eigen::Vector2d& one) { return std::round(100 * one.sum() + 0.17); });
}

int main() {
  factorize();
  cluster();
  descend();
  mix();
  scale();
  write_through_views();
}

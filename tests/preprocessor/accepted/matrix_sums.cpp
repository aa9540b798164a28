// Additions into whole matrices of Eigen, views of them and their coefficients: private copies. Near misses:
// matrices that are read, assigned or scaled. All numbers are exact, so any order leaves the same bits.
// g++ 12 warns of its own header for AVX-512
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <eigen3/Eigen/Core>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <stradsap/stradsap.hpp>

using Eigen::Map;
using Eigen::MatrixXf;
using Eigen::RowVectorXd;
using Eigen::VectorXf;
using stradsap::async_for;
using stradsap::dvector;

constexpr int D = 6, K = 5;
using Fixed = Eigen::Matrix<float, D, 1>;

struct Statistics {
  Eigen::Vector4d sum = Eigen::Vector4d::Zero();
  Eigen::Matrix2i counts = Eigen::Matrix2i::Zero();
  long total = 0;
};

static int nearest(int64_t i) { return static_cast<int>(i * 7919 % 13 % K); }

static void add_dynamic(int64_t i, const MatrixXf& X, auto& mean, auto& weighted, auto& outer, auto& least) {
  const int c = nearest(i);
  mean[c] += X.row(i).transpose();
  weighted[c].noalias() -= static_cast<float>(i % 3) * X.row(i).transpose();
  outer[c].topRows(D).noalias() += X.row(i).transpose() * X.row(i);
  outer[c].col(i % D).head(3) += X.row(i).head(3).transpose();
  RowVectorXd& low = least[c];
  for (int k = 0; k < D; ++k) low(k) = std::min(low(k), static_cast<double>(X(i, k)));
}

static void add_fixed(int64_t i, const MatrixXf& X, auto& whole, auto& parts, auto& named, auto& statistics) {
  const int c = nearest(i);
  const Fixed x = X.row(i).transpose();
  whole[c] += x;
  parts[c].template tail<2>() -= x.template head<2>();
  parts[c].array() += 0.5f;
  parts[c][0] += x[1];
  parts[c].y() += x.x();
  Fixed& to = named[c];
  if (i % 2 == 0) to += x, to.coeffRef(3) += 2;
  auto& of = statistics[c];
  of.sum += x.template head<4>().template cast<double>();
  of.counts(i % 2, c % 2) += 1;
  ++of.total;
}

static void add_maps(int64_t i, const MatrixXf& X, auto& flat, auto& other) {
  const int c = nearest(i);
  Map<VectorXf> sum(&flat[c * D], D);
  sum += X.row(i).transpose();
  sum(0) += 1;
  Map<Fixed>(&other[c * D]).noalias() -= X.row(i).transpose();
}

static bool are_equal(const auto& ours, const auto& plain) {
  for (std::size_t c = 0; c < plain.size(); ++c) {
    if (ours[c] != plain[c]) return false;
  }
  return true;
}

static bool are_equal(const dvector<Statistics>& ours, const std::vector<Statistics>& plain) {
  for (int c = 0; c < K; ++c) {
    const Statistics &one = ours[c], &other = plain[c];
    if (one.sum != other.sum || one.counts != other.counts || one.total != other.total) return false;
  }
  return true;
}

static bool dynamic_sums(int n, const MatrixXf& X) {
  dvector<VectorXf> mean(K, VectorXf::Constant(D, 0.5f)), weighted(K, VectorXf::Zero(D));
  dvector<MatrixXf> outer(K);
  dvector<RowVectorXd> least(K, RowVectorXd::Constant(D, 1e9));
  std::vector<VectorXf> mean_too(K, VectorXf::Constant(D, 0.5f)), weighted_too(K, VectorXf::Zero(D));
  std::vector<MatrixXf> outer_too(K);
  std::vector<RowVectorXd> least_too(K, RowVectorXd::Constant(D, 1e9));
  bool right = true;
  for (int pass = 0; pass < 3; ++pass) {
    for (int c = 0; c < K; ++c) {  // from pass to pass in another shape
      outer[c].setConstant(D + pass, D, 0.5f);
      outer_too[c].setConstant(D + pass, D, 0.5f);
    }
    async_for(n, [&](int64_t i) { add_dynamic(i, X, mean, weighted, outer, least); });
    for (int i = 0; i < n; ++i) add_dynamic(i, X, mean_too, weighted_too, outer_too, least_too);
    right = right && are_equal(mean, mean_too) && are_equal(weighted, weighted_too) && are_equal(outer, outer_too) &&
            are_equal(least, least_too);
  }
  return right;
}

static bool fixed_sums(int n, const MatrixXf& X) {
  dvector<Fixed> whole(K, Fixed::Zero()), parts(K, Fixed::Ones()), named(K, Fixed::Zero());
  dvector<Statistics> statistics(K);
  dvector<float> flat(K * D), other(K * D);
  std::vector<Fixed> whole_too(K, Fixed::Zero()), parts_too(K, Fixed::Ones()), named_too(K, Fixed::Zero());
  std::vector<Statistics> statistics_too(K);
  std::vector<float> flat_too(K * D), other_too(K * D);
  for (int pass = 0; pass < 2; ++pass) {
    async_for(n, [&](int64_t i) { add_fixed(i, X, whole, parts, named, statistics); });
    async_for(n, [&](int64_t i) { add_maps(i, X, flat, other); });
    for (int i = 0; i < n; ++i) add_fixed(i, X, whole_too, parts_too, named_too, statistics_too);
    for (int i = 0; i < n; ++i) add_maps(i, X, flat_too, other_too);
  }
  return are_equal(whole, whole_too) && are_equal(parts, parts_too) && are_equal(named, named_too) &&
         are_equal(statistics, statistics_too) && are_equal(flat, flat_too) && are_equal(other, other_too);
}

/// The body reads the elements, or changes them in ways that no private copy permits.
static bool near_misses(int n, const MatrixXf& X) {
  dvector<VectorXf> read(K, VectorXf::Zero(D)), used(K, VectorXf::Zero(D)), set(K, VectorXf::Zero(D)),
      scaled(K, VectorXf::Ones(D)), grown(K);
  dvector<float> last(n);
  async_for(n, [&](int64_t i) {
    const int c = nearest(i);
    if (read[c](0) < 10) read[c] += VectorXf::Ones(D);
    last[i] = (used[c] += VectorXf::Ones(D)).sum();
    set[c] = VectorXf::Constant(D, static_cast<float>(c));
    set[c] += VectorXf::Ones(D);
    scaled[c] *= -1.0f;
    grown[c].conservativeResize(c + 1);
    grown[c].setConstant(X(0, 0));
  });
  bool right = true;
  for (int c = 0; c < K; ++c) {
    int times = 0;
    float greatest = 0;
    for (int i = 0; i < n; ++i) {
      if (nearest(i) != c) continue;
      ++times;
      greatest = std::max(greatest, last[i]);
    }
    right = right && read[c](0) == static_cast<float>(std::min(10, times)) && used[c](D - 1) == static_cast<float>(times);
    right = right && greatest == static_cast<float>(D * times) && scaled[c](2) == (times % 2 == 0 ? 1.0f : -1.0f);
    right = right && set[c](1) == static_cast<float>(times == 0 ? 0 : c + 1) && grown[c].size() == (times == 0 ? 0 : c + 1);
  }
  return right;
}

int main() {
  const int most = 3000;
  MatrixXf X(most, D);
  for (int i = 0; i < most; ++i)
    for (int k = 0; k < D; ++k) X(i, k) = 0.25f * static_cast<float>((i * 31 + k * 7) % 17 - 8);
  bool right = true;
  for (const int n : {0, 1, 3, 60, most}) right = right && dynamic_sums(n, X) && fixed_sums(n, X) && near_misses(n, X);
  std::printf("matrix_sums %s\n", right ? "right" : "wrong");
  return right ? 0 : 1;
}

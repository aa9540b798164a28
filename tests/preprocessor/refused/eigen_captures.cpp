// Captured matrices of Eigen that cannot travel, or that a body changes although every process has a copy.
#include <eigen3/Eigen/Dense>
#include <eigen3/Eigen/Sparse>

#include <cstdint>

#include <stradsap/stradsap.hpp>

using Eigen::MatrixXd;
using Eigen::VectorXd;
using stradsap::async_for;
using stradsap::dvector;

int main() {
  const int n = 20;
  MatrixXd X = MatrixXd::Zero(n, 3);
  VectorXd total = VectorXd::Zero(3);
  dvector<VectorXd> y(n, VectorXd::Zero(3));
  async_for(n, [&](int64_t j) {
    X(j, 0) += 1;  // expected-error: the body changes `X`, or may change it, and every process has a copy of its own [SAP016]
    y[j] = X.row(j).transpose();
  });
  async_for(n, [&](int64_t j) { X.row(j) *= 2; });  // expected-error: the body changes `X`, or may change it, and every process has a copy of its own [SAP016]
  async_for(n, [&](int64_t j) { total.noalias() += y[j]; });  // expected-error: the body changes `total`, or may change it, and every process has a copy of its own [SAP016]
  Eigen::SparseMatrix<double> S(n, 3);
  async_for(n, [&](int64_t j) { y[j][0] = S.coeff(int(j), 0); });  // expected-error: `S` cannot be sent to other processes: `S` is a Eigen::SparseMatrix<double> [SAP004]
}

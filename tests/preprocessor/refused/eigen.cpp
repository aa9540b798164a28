// Uses of Eigen in a body that cannot be repeated, or that reach unknown elements.
#include <eigen3/Eigen/Dense>

#include <cstdint>

#include <stradsap/stradsap.hpp>

using Eigen::VectorXd;
using stradsap::async_for;
using stradsap::dvector;

int main() {
  const int n = 20;
  dvector<VectorXd> y(n, VectorXd::Zero(3));
  async_for(n, [&](int64_t j) { y[j] = VectorXd::Random(3); });  // expected-error: `Random` has hidden state that all iterations share [SAP042]
  async_for(n, [&](int64_t j) { y[j].setRandom(); });  // expected-error: `setRandom` has hidden state that all iterations share [SAP042]
  dvector<float> w(12);
  async_for(n, [&](int64_t j) {
    Eigen::Map<Eigen::VectorXf, 0, Eigen::InnerStride<>> sparse(&w[j], 3, Eigen::InnerStride<>(2));  // expected-error: how far this pointer to an element of `w` goes is not known: it is passed to `Map`, of which only the name is known [SAP056]
    sparse *= 2;
  });
}

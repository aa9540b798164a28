// SGD with AdaGrad and momentum: the optimiser's state lies beside the weight, in an element with member functions.
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

struct Hyper {
  double rate = 0.1;
  double momentum = 0.9;
  static constexpr double epsilon = 1e-8;
};

class Parameter {
 public:
  double value() const { return value_; }
  void descend(double gradient, const Hyper& hyper) {
    squares_ += gradient * gradient;
    velocity_ = hyper.momentum * velocity_ - hyper.rate * gradient / std::sqrt(squares_ + Hyper::epsilon);
    value_ += velocity_;
  }

 private:
  double value_ = 0, squares_ = 0, velocity_ = 0;
};

template <class Weights>
static void update(Weights& w, int64_t j, const Hyper& hyper) {
  const int a = static_cast<int>(j % 37), b = static_cast<int>(j * 7 % 37);
  const double error = w[a].value() - 0.5 * w[b].value() - 1.0;
  w[a].descend(error, hyper);
  w[b].descend(-0.5 * error, hyper);
}

int main() {
  Hyper hyper;
  stradsap::dvector<Parameter> weights(37);
  std::vector<Parameter> expected(37);
  for (int pass = 0; pass < 4; ++pass) {
    stradsap::parallel_for(500, [&weights, hyper](int64_t j) { update(weights, j, hyper); },
                           stradsap::consistency::ordered);
    for (int64_t j = 0; j < 500; ++j) update(expected, j, hyper);
    hyper.rate /= 2;
  }
  for (int i = 0; i < 37; ++i) {
    if (std::as_const(weights)[i].value() != expected[i].value()) return 1;
  }
  return 0;
}

// A loop in a class template reaches members of derived classes. One inserted text serves all of them.
#include <cstdio>

#include <stradsap/stradsap.hpp>

using namespace stradsap;

template <class Derived> struct by_steps {
  void train(int n) {
    auto& self = static_cast<Derived&>(*this);
    async_for(n, [&self](int64_t j) { self.step(j); });  // expected-error: `self.bias` is used differently in two instances of this template [SAP034] // expected-note: give each use a loop of its own
  }
  void shrink(int n) {
    auto& self = static_cast<Derived&>(*this);
    async_for(n, [&self](int64_t j) { self.weights[j] *= 0.5; });
  }
};

struct plain : by_steps<plain> {
  dvector<double> weights;
  explicit plain(int n) : weights(n) {}
  void step(int64_t j) { weights[j] += 1; }
};

struct biased : by_steps<biased> {
  dvector<double> weights, bias;
  explicit biased(int n) : weights(n), bias(n) {}
  void step(int64_t j) { weights[j] += bias[j]; }
};

int main() {
  plain a(10);
  biased b(10);
  a.train(10);
  b.train(10);
  a.shrink(10);
  b.shrink(10);
  std::printf("%g %g\n", a.weights[0], b.weights[0]);
}

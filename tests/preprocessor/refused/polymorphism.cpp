// Classes with virtual functions: which one an object is cannot be sent.
#include <cstdint>
#include <memory>
#include <vector>

#include <stradsap/stradsap.hpp>

struct Loss {
  virtual ~Loss() = default;
  virtual double operator()(double x) const { return x * x; }
};
struct Absolute : Loss {
  double operator()(double x) const override { return x < 0 ? -x : x; }
};
struct Model {
  Loss loss;
  std::vector<double> weights;
};

static double apply(const Loss& loss, double x) { return loss(x); }

int main() {
  stradsap::dvector<double> x(10);
  stradsap::dvector<Loss> losses(3);  // expected-error: elements of `losses` cannot be sent to other processes: `Loss` has virtual functions or bases [SAP020]
  const Absolute absolute;
  const Loss& base = absolute;
  std::unique_ptr<Loss> owned = std::make_unique<Absolute>();
  Model model;
  stradsap::async_for(10, [&x, &base](int64_t j) { x[j] = apply(base, x[j]); });  // expected-error: `base` cannot be sent to other processes: `base` has virtual functions or bases [SAP004]
  stradsap::async_for(10, [&x, absolute](int64_t j) { x[j] = absolute(x[j]); });  // expected-error: `absolute` cannot be sent to other processes: `absolute` has virtual functions or bases [SAP004]
  stradsap::async_for(10, [&x, &owned](int64_t j) { x[j] = (*owned)(x[j]); });  // expected-error: `owned` cannot be sent to other processes: `owned` is a std::unique_ptr<Loss> [SAP004]
  stradsap::async_for(10, [&x, &model](int64_t j) { x[j] = model.weights[0]; });  // expected-error: `model` cannot be sent to other processes: `model.loss` has virtual functions or bases [SAP004]
}

// Callables and values of a type that is known at run time only.
#include <cstdint>
#include <functional>
#include <memory>
#include <any>

#include <stradsap/stradsap.hpp>

struct Model {
  std::function<double(double)> loss;
};

static void each(stradsap::dvector<double>& x, const std::function<void(int64_t)>& body) {
  stradsap::async_for(x.size(), body);  // expected-error: the body of this loop is a std::function<void (long)>, but has to be a lambda or a functor [SAP030]
}

int main() {
  stradsap::dvector<double> x(10);
  std::function<double(double)> square = [](double v) { return v * v; };
  const std::any anything = 1.5;
  Model model{square};
  each(x, [&x](int64_t j) { x[j] = 1; });
  stradsap::async_for(10, [&x, square](int64_t j) { x[j] = square(x[j]); });  // expected-error: `square` cannot be sent to other processes: `square` is a std::function<double (double)> [SAP004]
  stradsap::async_for(10, [&x, &model](int64_t j) { x[j] = model.loss(x[j]); });  // expected-error: `model` cannot be sent to other processes: `model.loss` is a std::function<double (double)> [SAP004]
  stradsap::async_for(10, [&x, anything](int64_t j) { x[j] = std::any_cast<double>(anything); });  // expected-error: `anything` cannot be sent to other processes: `anything` is a std::any [SAP004]
  stradsap::async_for(10, [&x, f = std::bind(std::plus<double>(), std::placeholders::_1, 2.0)](int64_t j) { x[j] = f(x[j]); });  // expected-error: `f` cannot be sent to other processes: `f` is a typename _Bind_helper<__is_socketlike<plus<double>>::value, plus<double>, const _Placeholder<1> &, double>::type [SAP004]
}

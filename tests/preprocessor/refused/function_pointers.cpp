// Pointers to functions: an address of one process means nothing in another.
#include <cstdint>
#include <cmath>

#include <stradsap/stradsap.hpp>

static double relu(double x) { return x > 0 ? x : 0; }
static double identity(double x) { return x; }
using Activation = double (*)(double);

struct Layer {
  Activation activation = identity;
  double bias = 0;
};
Activation chosen = relu;

static void body(int64_t) {}

int main(int argc, char**) {
  stradsap::dvector<double> x(10);
  const Activation f = argc > 1 ? relu : identity;
  Layer layer{relu, 1};
  stradsap::async_for(10, [&x, f](int64_t j) { x[j] = f(x[j]); });  // expected-error: `f` cannot be sent to other processes: `f` is a pointer to a function [SAP004]
  stradsap::async_for(10, [&x, layer](int64_t j) { x[j] = layer.activation(x[j] + layer.bias); });  // expected-error: `layer` cannot be sent to other processes: `layer.activation` is a pointer to a function [SAP004]
  stradsap::async_for(10, [&x](int64_t j) { x[j] = chosen(x[j]); });  // expected-error: the body uses the global variable `chosen`, which may differ between processes and cannot be sent with the loop [SAP040]
  stradsap::async_for(10, body);  // expected-error: the body of this loop is a void (long), but has to be a lambda or a functor [SAP030]
  stradsap::async_for(10, +[](int64_t) {});  // expected-error: the body of this loop is a void (*)(long), but has to be a lambda or a functor [SAP030]
}

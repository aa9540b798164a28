// Reports, input and output in a loop body, at once or in a function.
#include <cstdint>

#include <stradsap/stradsap.hpp>

static void tell(double x) {
  stradsap::report("x", x);  // expected-error: `report` in the body of a loop [SAP077]
}

int main() {
  stradsap::dvector<double> x(10);
  stradsap::async_for(10, [&x](int64_t j) {
    stradsap::report("x", x[j], "j", j);  // expected-error: `report` in the body of a loop [SAP077]
  });
  stradsap::async_for(10, [&x](int64_t j) { tell(x[j]); });
  stradsap::async_for(10, [&x](int64_t j) {
    const auto read = stradsap::read_npy<double>("x.npy");  // expected-error: `read_npy` in the body of a loop [SAP077]
    x[j] = read[j];  // expected-error: this use of the container `read` is not understood [SAP051]
  });
  stradsap::async_for(10, [&x](int64_t j) {
    // expected-error@+2: `read_libsvm` in the body of a loop [SAP077]
    // expected-error@+1: the body uses the container `labels` without capturing it [SAP041]
    x[j] = stradsap::read_libsvm<double>("x").labels[j];
  });
  stradsap::async_for(10, [&x](int64_t j) {
    x[j] = static_cast<double>(j);
    stradsap::save_npy("model", "x", x);  // expected-error: `save_npy` in the body of a loop [SAP077]
  });
  stradsap::report("x", x[0], "y", 1);
}

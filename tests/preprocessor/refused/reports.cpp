// A report in a loop body, at once or in a function.
#include <cstdint>

#include <stradsap/stradsap.hpp>

static void tell(double x) {
  stradsap::report("x", x);  // expected-error: `report` in a loop body [SAP077]
}

int main() {
  stradsap::dvector<double> x(10);
  stradsap::async_for(10, [&x](int64_t j) {
    stradsap::report("x", x[j], "j", j);  // expected-error: `report` in a loop body [SAP077]
  });
  stradsap::async_for(10, [&x](int64_t j) { tell(x[j]); });
  stradsap::report("x", x[0], "y", 1);
}

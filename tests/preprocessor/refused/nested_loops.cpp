// A loop operator inside the body of another, at once or in a function.
#include <cstdint>
#include <vector>

#include <stradsap/stradsap.hpp>

static void scale(stradsap::dvector<double>& x) {
  stradsap::async_for(x.size(), [&x](int64_t i) { x[i] *= 2; });  // expected-error: a loop operator inside the body of a loop [SAP032]
}

int main() {
  stradsap::dvector<double> x(10), y(10);
  stradsap::async_for(10, [&x, &y](int64_t j) {
    stradsap::parallel_for(10, [&y](int64_t i) { y[i] += 1; }, stradsap::consistency::async);  // expected-error: a loop operator inside the body of a loop [SAP032]
    x[j] = 1;
  });
  stradsap::async_for(10, [&x](int64_t) { stradsap::sync_for(10, 2, [&x](int64_t i) { x[i] += 1; }); });  // expected-error: a loop operator inside the body of a loop [SAP032]
  stradsap::async_for(10, [&x](int64_t) { scale(x); });
}

// Loops without a model or with two bounds, in a program that compiles otherwise.
#include <cstdint>

#include <stradsap/stradsap.hpp>

using namespace stradsap;

static void fill(dvector<float>& X, int64_t value) {
  parallel_for(X.size(), [&](int64_t j) { X[j] = value; });  // expected-error: `parallel_for` needs a consistency model [SAP069]
}

template <class Body> static void each(int64_t n, const Body& body) {
  parallel_for("each", n, body, access());  // expected-error: `parallel_for` needs a consistency model [SAP069]
}

int main() {
  dvector<float> X(10);
  fill(X, 1);
  async_for(0, 10, [&X](int64_t j) { X[j] = 2; });  // expected-error: `async_for` cannot be called so: iterations count from 0, so it takes one bound [SAP038]
  parallel_for(0, X.size(), [&X](int64_t j) { X[j] = 2; }, consistency::async);  // expected-error: `parallel_for` cannot be called so: iterations count from 0, so it takes one bound [SAP038]
  sync_for(0, 10, [&X](int64_t j) { X[j] = 2; });
  each(10, [&X](int64_t j) { X[j] = 2; });
  parallel_for(10, [&X](int64_t j) { X[j] = 3; }, consistency::ordered);
}

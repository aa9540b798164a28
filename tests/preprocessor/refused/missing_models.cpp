// Loops without a model, in programs that have no other fault.
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
  each(10, [&X](int64_t j) { X[j] = 2; });
  parallel_for(10, [&X](int64_t j) { X[j] = 3; }, consistency::ordered);
}

// Function templates and generic lambdas that get containers of the standard library, too.
#include <algorithm>
#include <vector>

#include <stradsap/stradsap.hpp>

using namespace stradsap;

template <class Values> static void clear(Values& values, int64_t j) {
  float* first = values.data();  // expected-error: `data` of a dvector cannot be used in the body of a loop [SAP050] // expected-note: other calls of this template have no distributed container here; write `&values[0]`, which means the same for both
  first[j] = 0;
}
template <class Values> static void clear_row(Values& values, int64_t j) {
  float* row = &values[0];
  row[j] = 0;
}
template <class Values> static void clear_row_of(Values& values, int64_t j) {
  const auto one = [&] { return values.begin() + j; };  // expected-error: `begin` of a dvector cannot be used in the body of a loop [SAP050]
  *one() = 0;
}
template <class Values> static void clear_own(Values& values, int64_t j) { values.data()[j] = 0; }

int main() {
  const int64_t n = 10;
  dvector<float> x(n), y(n), z(n), w(n);
  std::vector<float> v(n);
  async_for(n, [&x](int64_t j) { clear(x, j); });
  async_for(n, [&y](int64_t j) { clear_row(y, j); });
  async_for(n, [&z](int64_t j) { clear_row_of(z, j); });
  async_for(n, [&w](int64_t j) { clear_own(w, j); });
  clear(v, 3);
  clear_row(v, 3);
  clear_row_of(v, 3);
}

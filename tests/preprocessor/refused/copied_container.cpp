// A container captured by value is const in the body: the native compiler's own error would come from the API's headers.
#include <cstdint>

#include <stradsap/stradsap.hpp>

int main() {
  stradsap::dvector<float> D(10);
  stradsap::parallel_for(10, [D](int64_t j) { D[j] = 1; }, stradsap::consistency::async);  // expected-error: container `D` is captured by value [SAP003] // expected-note: capture it by reference: `&D`
}

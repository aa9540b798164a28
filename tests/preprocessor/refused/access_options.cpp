// Statements about containers that the loop does not have.
#include <cstdint>

#include <stradsap/stradsap.hpp>

using stradsap::dvector;

int main() {
  dvector<int64_t> values(100), other(100);
  stradsap::parallel_for(100, [&values](int64_t j) { values[j] = j; }, stradsap::consistency::async,
                         stradsap::access(stradsap::reads(other)));  // expected-error: `other` is no container that the body of this loop captures [SAP054]
}

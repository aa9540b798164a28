// Statements about containers that the loop does not have.
#include <cstdint>

#include <stradsap/stradsap.hpp>

using stradsap::dvector;

int main() {
  dvector<int64_t> values(100), other(100);
  stradsap::parallel_for(100, [&values](int64_t j) { values[j] = j; }, stradsap::consistency::async,
                         stradsap::access(stradsap::reads(other)));  // expected-error: `other` is no container that the body of this loop captures [SAP054]
  const auto body = [&values, &other](int64_t j) { values[other[j] / 2] += values[0]; };
  stradsap::async_for(100, body, stradsap::access(stradsap::adds_late(values)));
  stradsap::async_for(100, body, stradsap::access(stradsap::adds_late(values)));
  stradsap::async_for(100, body);  // expected-error: another loop runs this body, and states another `access(...)` [SAP079] // expected-note: state the same at both, or write the body at each
}

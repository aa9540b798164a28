// Calls that do not compile, explained before the native compiler speaks.
#include <cstdint>
#include <vector>

#include <stradsap/stradsap.hpp>

using namespace stradsap;
using consistency::async;

int main() {
  const int n = 10;
  dvector<float> X(n);
  std::vector<int> order(n);
  parallel_for(X, [&](int64_t j) { X[j] = 1; }, async);  // expected-error: `parallel_for` cannot be called so: the number of iterations is a container, not its `size()` [SAP038]
  parallel_for("fill", X, [&](int64_t j) { X[j] = 1; }, async);  // expected-error: the number of iterations is a container [SAP038]
  parallel_for(X.begin(), X.end(), [&](float& x) { x = 1; }, async);  // expected-error: `parallel_for` cannot be called so [SAP038]
  parallel_for(order, [&](int64_t j) { X[j] = 1; }, async);  // expected-error: the number of iterations is of type std::vector<int>, which is no integer [SAP038]
  parallel_for(0.5 * n, [&](int64_t j) { X[j] = 1; }, async);  // expected-error: the number of iterations is of type double [SAP038]
  parallel_for([&](int64_t j) { X[j] = 1; }, async);  // expected-error: the number of iterations is missing [SAP038]
  async_for(X, [&](int64_t j) { X[j] = 1; });  // expected-error: `async_for` cannot be called so: the number of iterations is a container [SAP038]
  async_for(1, n, [&](int64_t j) { X[j] = 1; });  // expected-error: `async_for` cannot be called so: iterations count from 0, so it takes one bound [SAP038]
  async_for("fill", 0, n, [&](int64_t j) { X[j] = 1; });  // expected-error: iterations count from 0, so it takes one bound [SAP038]
  sync_for(0, n, 256, [&](int64_t j) { X[j] = 1; });  // expected-error: `sync_for` cannot be called so: iterations count from 0 [SAP038]
  sync_for(n, [&](int64_t j) { X[j] = 1; });  // expected-error: `sync_for` cannot be called so: it has no form with these arguments [SAP038]
  parallel_for(n, [&](int64_t j) { X[j] = 1; });  // expected-error: `parallel_for` needs a consistency model [SAP069] // expected-note: `consistency::async` (one serial order), `consistency::ordered` (program order) or `consistency::sync(batch)`
  parallel_for("fill", n, [&](int64_t j) { X[j] = 1; }, access(writes(X)));  // expected-error: `parallel_for` needs a consistency model [SAP069]
  sync_for("fill", n, [&](int64_t j) { X[j] = 1; });  // expected-error: `sync_for` cannot be called so: it has no form with these arguments [SAP038]
  async_for(n, [&](int64_t j) { X[j] = order[j]; }, access(writes(X), reads(order)));  // expected-error: `order` is no container that the body of this loop captures [SAP054]
  int64_t sum = 0;
  parallel_for(n, [&](int64_t j) { sum += j; }, async, access(reads(X), adds(sum)));  // expected-error: `sum` is no container that the body of this loop captures [SAP054] // expected-note: name the containers as the body's captures do
  async_for(n, [&](int64_t j) { X[j] = 1; }, async);  // expected-error: `async_for` cannot be called so [SAP038]
  async_for(n, [&](int64_t j) {
    if (X[j] > 0) break;  // expected-error: `break` in the body of a loop stands in no loop of its own [SAP039] // expected-note: use `return`
    if (X[j] < 0) continue;  // expected-error: `continue` in the body of a loop stands in no loop of its own [SAP039]
    for (int k = 0; k < 3; ++k) break;
    X[j] = 1;
  });
}

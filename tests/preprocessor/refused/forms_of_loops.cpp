// Bodies and calls of the wrong form: one line of ours in place of fifty of templates.
#include <cstdint>
#include <string>

#include <stradsap/stradsap.hpp>

using namespace stradsap;
using consistency::async;

int main() {
  const int n = 10;
  dvector<float> X(n);
  parallel_for(n, [&]() { X[0] = 1; }, async);  // expected-error: takes one integer, the iteration's number, and this one takes nothing [SAP037]
  parallel_for(n, [&](int64_t i, int64_t j) { X[i] = static_cast<float>(j); }, async);  // expected-error: and this one takes 2 values [SAP037]
  parallel_for(n, [&](float& x) { x = 1; }, async);  // expected-error: and this one takes a `float&` [SAP037]
  parallel_for(n, [&](int64_t& j) { X[j] = 1; }, async);  // expected-error: [SAP037]
  parallel_for(n, [&](const std::string&) { X[0] = 1; }, async);  // expected-error: [SAP037]
  parallel_for(n, [&](double j) { X[0] = static_cast<float>(j); }, async);  // expected-error: and this one takes a `double` [SAP037]
  async_for(n, [&](auto i, auto j) { X[i] = static_cast<float>(j); });  // expected-error: and this one takes 2 values [SAP037]
  parallel_for(n, [&](const int64_t j) { X[j] = 1; }, async);
  parallel_for(n, [&](const int& j) { X[j] = 1; }, async);
  parallel_for(n, [&](auto j) { X[j] = 1; }, async);
  parallel_for(n, [&](auto&& j) { X[j] = 1; }, async);
  parallel_for(n, [&](uint8_t j, int by = 2) { X[j] = static_cast<float>(by); }, async);
  parallel_for(n, [&](int64_t j) { return X[j] += 1; }, async);  // expected-warning: the value that the body of a loop returns is lost [SAP063]
  parallel_for(n, [&](int64_t j) -> int {
    if (X[j] > 0) return 1;  // expected-warning: the value that the body of a loop returns is lost [SAP063]
    X[j] = 0;
    return 0;
  }, async);
  parallel_for(n, [&](int64_t j) {
    if (X[j] > 0) return;
    const auto doubled = [&] { return X[j] * 2; };
    X[j] = doubled();
  }, async);
  parallel_for(n, [&](int64_t j) { X.push_back(static_cast<float>(j)); }, async);  // expected-error: `push_back` of a dvector [SAP050] // expected-note: resize it before the loop
  parallel_for(n, [&](int64_t) { for (float& x : X) x = 0; }, async);  // expected-error: `begin` of a dvector // expected-note: `for (... : X.span(0, X.size()))`
}

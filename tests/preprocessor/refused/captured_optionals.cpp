// Captured std::optional objects that the body changes.
#include <optional>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::async_for;
using stradsap::dvector;

struct settings {
  float rate = 0.5f;
  std::vector<float> weights;
  void grow() { rate *= 2; }
};
void looks_at(settings* at);  // expected-note: if it depends on its arguments alone

int main() {
  const int n = 10;
  dvector<float> X(n);
  std::optional<settings> c = settings{};
  std::optional<int> count = 0;
  async_for(n, [&](int j) { X[j] = c->rate = 1; });  // expected-error: the body changes `c` // expected-note: if iterations share it
  async_for(n, [&](int j) { X[j] = c->weights[0]++; });  // expected-error: the body changes `c` // expected-note: if iterations share it
  async_for(n, [&](int j) { c->weights.push_back(X[j]); });  // expected-error: the body changes `c` // expected-note: if iterations share it
  async_for(n, [&](int j) { c->grow(), X[j] = c->rate; });  // expected-error: the body changes `c` // expected-note: if iterations share it
  async_for(n, [&](int j) { looks_at(c.operator->()), X[j] = 1; });  // expected-error: the body changes `c` // expected-note: if iterations share it // expected-warning: only the name of `looks_at`
  async_for(n, [&](int j) {  // expected-note: if iterations share it
    float& rate = c->rate;  // expected-error: the body changes `c`
    rate += X[j];
  });
  async_for(n, [&](int j) { ++*count, X[j] = 1; });  // expected-error: the body changes `count` // expected-note: if iterations share it
  async_for(n, [&](int j) { count = j, X[j] = 1; });  // expected-error: the body changes `count` // expected-note: if iterations share it
  async_for(n, [&](int j) { count.emplace(j), X[j] = 1; });  // expected-error: the body changes `count` // expected-note: if iterations share it
  async_for(n, [&](int j) { count.reset(), X[j] = 1; });  // expected-error: the body changes `count` // expected-note: if iterations share it
  async_for(n, [&](int j) { X[j] = std::exchange(count, 3).value_or(1); });  // expected-error: the body changes `count` // expected-note: if iterations share it
}

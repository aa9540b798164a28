// Variables captured by reference that are more than folded into.
#include <cstdint>
#include <algorithm>
#include <vector>

#include <stradsap/stradsap.hpp>

int main() {
  stradsap::dvector<double> x(10);
  double sum = 0, last = 0, scaled = 1, best = 0;
  int64_t where = 0;
  int seen = 0, first = -1;
  stradsap::async_for(10, [&x, &last](int64_t j) { last = x[j]; });  // expected-error: the body changes `last`, which is neither a distributed container nor a reduction [SAP010]
  stradsap::async_for(10, [&x, &sum](int64_t j) { sum += x[j]; x[j] /= sum; });  // expected-error: the reduction variable `sum` is also read in the body [SAP011]
  stradsap::async_for(10, [&x, &scaled](int64_t j) { scaled *= 2; scaled += x[j]; });  // expected-error: `scaled` is folded by two operators, so its end depends on the order [SAP013]
  stradsap::async_for(10, [&x, &seen](int64_t j) { x[seen++] = static_cast<double>(j); });  // expected-error: the value of `seen` so far is used [SAP017]
  stradsap::async_for(10, [&x, &best, &where](int64_t j) {  // expected-note: find the index of the largest after the loop: `std::max_element(x.begin(), x.end()) - x.begin()`
    if (x[j] > best) {
      best = x[j];  // expected-error: the body changes `best`, which is neither a distributed container nor a reduction [SAP010]
      where = j;
    }
  });
  stradsap::async_for(10, [&first](int64_t j) { if (first < 0) first = static_cast<int>(j); });  // expected-error: the body changes `first`, which is neither a distributed container nor a reduction [SAP010]
  stradsap::async_for(10, [&sum](int64_t) { sum = -sum; });  // expected-error: the body changes `sum`, which is neither a distributed container nor a reduction [SAP010]
  stradsap::async_for(10, [&sum](int64_t j) { sum = static_cast<double>(j) - sum; });  // expected-error: the body changes `sum`, which is neither a distributed container nor a reduction [SAP010]
  stradsap::async_for(10, [&sum](int64_t) { sum /= 2; });  // expected-error: the body changes `sum`, which is neither a distributed container nor a reduction [SAP010]
  stradsap::async_for(10, [&seen](int64_t) { seen <<= 1; });  // expected-error: the body changes `seen`, which is neither a distributed container nor a reduction [SAP010]
}

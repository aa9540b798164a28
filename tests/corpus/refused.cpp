// Patterns of DataRaceBench and TSVC without a result that another process can compute:
// iterations share a scalar, and it is no reduction. Each is refused at its line.
#include <cstdint>
#include <cstdlib>
#include <random>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::async_for;
using stradsap::dvector;

int shared_count = 0;

void races(dvector<int>& a, dvector<int>& b, std::vector<int>& held) {
  const int64_t n = 100;
  int t = 0, last = 0, sum = 0, k = 0, m = 0;
  async_for(n, [&](int64_t i) {  // a scalar that should be private
    t = a[i] + 1;                // expected-error: changes `t` [SAP010]
    b[i] = t;
  });
  async_for(n, [&](int64_t i) { last = static_cast<int>(i); });  // expected-error: changes `last` [SAP010]
  async_for(n, [&](int64_t i) {  // a sum that the body reads
    sum += a[i];
    b[i] = sum;  // expected-error: also read [SAP011]
  });
  async_for(n, [&](int64_t i) { a[k++] = b[i]; });       // expected-error: so far is used [SAP017]
  async_for(n, [&](int64_t i) { b[i] = --m; });          // expected-error: so far is used [SAP017]
  async_for(n, [&](int64_t i) { held[i] = a[i]; });      // expected-error: the body changes `held` [SAP016]
  async_for(n, [&](int64_t i) { a[i] = ++shared_count; });  // expected-error: changes `shared_count` [SAP045]
  async_for(n, [&](int64_t i) { a[i] = std::rand(); });  // expected-error: has hidden state [SAP042]
  std::mt19937 engine;
  async_for(n, [&](int64_t i) { a[i] = static_cast<int>(engine()); });  // expected-error: random engine [SAP008]
  async_for(n, [&](int64_t i) {  // all iterations share a static variable
    static int before = 0;
    a[i] = before;
    before = b[i];  // expected-error: changes `before` [SAP045]
  });
}

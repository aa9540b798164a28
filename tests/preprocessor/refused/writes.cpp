// Writes through captures, and reductions that are more than reductions.
#include <cstdint>
#include <string>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::dvector;
using stradsap::parallel_for;
namespace consistency = stradsap::consistency;

static void replace(double& old, double with) { old = with; }

int main() {
  const int n = 10;
  dvector<double> D(n);
  std::vector<double> v(n);
  double sum = 0, last = 0, counts[3] = {};
  std::string text;
  bool any = false;
  struct { double x; } pair{};

  parallel_for(n, [&v](int64_t j) {  // expected-note: best as a std::array, which allocates nothing; if the body only reads it, declare it const, or use its const members
    v.push_back(1);  // expected-error: the body changes `v`, or may change it [SAP016]
    v[j] = 1;
  }, consistency::async);
  parallel_for(n, [&last](int64_t j) { last = static_cast<double>(j); }, consistency::async);  // expected-error: the body changes `last`
  parallel_for(n, [&counts](int64_t j) { counts[j % 3] = 1; }, consistency::async);  // expected-error: the body changes `counts`
  parallel_for(n, [&text](int64_t) { text += "x"; }, consistency::async);  // expected-error: the body changes `text`
  parallel_for(n, [&any, &D](int64_t j) { any = D[j] > 0; }, consistency::async);  // expected-error: the body changes `any`
  parallel_for(n, [&pair](int64_t) { pair.x = 1; }, consistency::async);  // expected-error: the body changes `pair` // expected-error: is of a type without a name
  parallel_for(n, [&sum](int64_t) { replace(sum, 1); }, consistency::async);  // expected-error: the body changes `sum`
  parallel_for(n, [&sum, &last](int64_t) { sum += 1; sum = 2; last += 1; }, consistency::async);  // expected-error: the body changes `sum`
  parallel_for(n, [&sum, &D](int64_t j) {  // expected-note: its value is known after the loop only
    sum += D[j];
    if (sum > 3) return;  // expected-error: reduction variable `sum` is also read in the body [SAP011]
  }, consistency::async);
  parallel_for(n, [&sum](int64_t) { sum += sum; }, consistency::async);  // expected-error: reduction variable `sum` is also read
  parallel_for(n, [&sum, &D](int64_t j) { D[j] = sum += 1; }, consistency::async);  // expected-error: the value of an update of the reduction variable `sum` is used [SAP012]
  parallel_for(n, [&r = sum](int64_t) { r = 1; }, consistency::async);  // expected-error: the body changes `sum`
  parallel_for(n, [factor = 1.0f, &D](int64_t j) { D[j] = const_cast<float&>(factor) += 1; }, consistency::async);  // expected-error: the body changes `factor`
  parallel_for(n, [last, &D](int64_t j) { D[j] = static_cast<float>(const_cast<double&>(last) = 1); }, consistency::async);  // expected-error: the body changes `last`
}

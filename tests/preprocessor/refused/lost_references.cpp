// References to elements that objects keep, where the address of one is lost, and beside them some where it is not.
#include <stradsap/stradsap.hpp>
#include <functional>
#include <tuple>
#include <vector>
using namespace stradsap;
struct view { float& first; };
int main() {
  const int n = 100;
  std::vector<int> pick(n);
  dvector<float> m(n), q(n);
  parallel_for(n, [&pick, &m](int j) { auto t = std::tie(m[pick[j]]); float* p = &std::get<0>(t); while (*p > 0) *p++ = 0; }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known: it moves in a loop that does not count its index to a bound [SAP056]
  parallel_for(n, [&pick, &m](int j) { view v{m[pick[j]]}; float* p = &v.first; while (*p > 0) *p++ = 0; }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known: it moves in a loop that does not count its index to a bound [SAP056]
  parallel_for(n, [&pick, &m](int j) { std::vector<std::reference_wrapper<float>> all; all.push_back(m[pick[j]]); float* p = &all[0].get(); while (*p > 0) *p++ = 0; }, consistency::async);  // expected-error: how far this pointer to an element of `m` goes is not known: it moves in a loop that does not count its index to a bound [SAP056]
  parallel_for(n, [&pick, &m, &q](int j) { std::tie(m[pick[j]], q[pick[j]]) = std::make_tuple(1.0f, 2.0f); }, consistency::async);
  parallel_for(n, [&pick, &m](int j) { view v{m[pick[j]]}; v.first += 1; auto r = std::ref(m[pick[j]]); r.get() += 1; }, consistency::async);
  return 0;
}

// The result of a reduction's update is the variable itself: a reference to it could change it unseen.
#include <cstdint>

#include <stradsap/stradsap.hpp>

using namespace stradsap;
using consistency::async;

struct pair_of_sums {
  int a, b;
};
struct holder {
  int& r;
  explicit holder(int& x) : r(x += 1) {}
};
static void set(int& x) { x = x * 3 + 1; }

int main() {
  const int n = 100;
  int s = 0, t = 0;
  pair_of_sums p{};
  parallel_for(n, [&](int64_t) { auto& r = s += 1; r = 3; }, async);  // expected-error: the value of an update of the reduction variable `s` is used [SAP012]
  parallel_for(n, [&](int64_t) { auto&& r = s += 1; r = 3; }, async);  // expected-error: of the reduction variable `s` is used [SAP012]
  parallel_for(n, [&](int64_t) { if (auto& r = ++s; r > 3) r = 0; }, async);  // expected-error: of the reduction variable `s` is used [SAP012]
  parallel_for(n, [&](int64_t) { set(s += 1); }, async);  // expected-error: of the reduction variable `s` is used [SAP012]
  parallel_for(n, [&](int64_t) { (s += 1) = 5; }, async);  // expected-error: of the reduction variable `s` is used [SAP012]
  parallel_for(n, [&](int64_t) { int* q = &(s += 1); *q %= 5; }, async);  // expected-error: of the reduction variable `s` is used [SAP012]
  parallel_for(n, [&](int64_t) { auto up = [&]() -> auto& { return s += 1; }; up() %= 5; }, async);  // expected-error: of the reduction variable `s` is used [SAP012]
  parallel_for(n, [&](int64_t) { int& r = (++t, s += 3); r %= 5; }, async);  // expected-error: of the reduction variable `s` is used [SAP012]
  parallel_for(n, [&](int64_t) { int& r = p.a += 3; r %= 5; }, async);  // expected-error: of the reduction variable `p` is used [SAP012]
  parallel_for(n, [&](int64_t) { const int& r = p.b += 3; (void)r; }, async);  // expected-error: of the reduction variable `p` is used [SAP012]
  parallel_for(n, [&](int64_t) { for (int& r = ++s; r < 3;) r = 7; }, async);  // expected-error: of the reduction variable `s` is used [SAP012]
  parallel_for(n, [&](int64_t) { int& q = s; int& r = q += 1; r = 7; }, async);  // expected-error: of the reduction variable `s` is used [SAP012]
  parallel_for(n, [&](int64_t) { auto change = [&r = ++s] { r = 3; }; change(); }, async);  // expected-error: of the reduction variable `s` is used [SAP012]
  parallel_for(n, [&](int64_t) { holder q(s); q.r = 2; }, async);  // expected-error: the body changes `s` [SAP010]
}

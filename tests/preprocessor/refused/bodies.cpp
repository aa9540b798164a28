// Invalid bodies of loops, and invalid statements in a body.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::dmap;
using stradsap::dvector;
using stradsap::parallel_for;
namespace consistency = stradsap::consistency;

int global_count = 0;
float learning_rate = 0.1f;
const float fixed_rate = 0.1f;
dvector<float> global_data;
thread_local int per_thread = 0;

static void on_its_own(int64_t) {}
static int counted() {
  static int calls = 0;
  return ++calls;  // expected-error: the body changes `calls`, and every process has a copy of its own [SAP045]
}

#define WHOLE_LOOP(n, D, then) parallel_for(n, [&D](int64_t j) { D[j] = 1; }, consistency::async), then

int main() {
  const int n = 10;
  dvector<float> D(n);
  dmap<int, float> M;
  std::function<void(int64_t)> erased = [&D](int64_t j) { D[j] = 0; };

  parallel_for(n, erased, consistency::async);  // expected-error: the body of this loop is a std::function<void [SAP030]
  parallel_for(n, on_its_own, consistency::async);  // expected-error: has to be a lambda [SAP030]
  parallel_for(n, [&D, n](int64_t) {
    parallel_for(n, [&D](int64_t j) { D[j] = 0; }, consistency::async);  // expected-error: a loop operator inside the body of a loop [SAP032]
  }, consistency::async);
  parallel_for(n, [&D, k = 0](int64_t j) mutable { D[j] = static_cast<float>(k++); }, consistency::async);  // expected-error: cannot be `mutable` [SAP031]
  WHOLE_LOOP(n, D, stradsap::async_for(n, [&D](int64_t j) { D[j] = 2; }));  // expected-error: comes partly from the definition of a macro [SAP033]
  parallel_for(n, [&D](int64_t j) { if (D[j] > 0) goto end; D[j] = 1; end:; }, consistency::async);  // expected-error: `goto` in the body [SAP035]

  parallel_for(n, [](int64_t) { ++global_count; }, consistency::async);  // expected-error: the body changes `global_count` [SAP045]
  parallel_for(n, [&D](int64_t j) { D[j] *= learning_rate; }, consistency::async);
  parallel_for(n, [&D](int64_t j) { D[j] *= fixed_rate; }, consistency::async);
  parallel_for(n, [&D](int64_t j) { D[j] += static_cast<float>(per_thread); }, consistency::async);  // expected-error: `per_thread`, which may differ between processes and cannot be sent with the loop [SAP040] // expected-note: copy it into a local variable
  parallel_for(n, [](int64_t j) { global_data[j] = 1; }, consistency::async);  // expected-error: uses the container `global_data` without capturing it [SAP041] // expected-note: `&global_data = global_data`
  parallel_for(n, [&D](int64_t j) { D[j] = static_cast<float>(counted()); }, consistency::async);
  parallel_for(n, [&D](int64_t j) { D[j] = static_cast<float>(rand()); }, consistency::async);  // expected-error: `rand` has hidden state [SAP042]
  parallel_for(n, [&D](int64_t j) { D[j] = static_cast<float>(drand48()); }, consistency::async);  // expected-error: `drand48` has hidden state
  parallel_for(n, [](int64_t j) { if (j) std::exit(1); }, consistency::async);  // expected-error: `exit` in the body of a loop [SAP043]
  parallel_for(n, [](int64_t) { (void)!std::system("true"); }, consistency::async);  // expected-error: `system` in the body

  parallel_for(n, [&D](int64_t) { D.push_back(1); }, consistency::async);  // expected-error: `push_back` of a dvector [SAP050]
  parallel_for(n, [&D](int64_t) { D.resize(1); }, consistency::async);  // expected-error: `resize` of a dvector
  parallel_for(n, [&D](int64_t) { for (float& x : D) x = 0; }, consistency::async);  // expected-error: `begin` of a dvector
  parallel_for(n, [&M](int64_t) { M.clear(); }, consistency::async);  // expected-error: `clear` of a dmap
  parallel_for(n, [&D](int64_t) { dvector<float> copy = D; (void)copy; }, consistency::async);  // expected-error: a distributed container is made in the body [SAP052]
  parallel_for(n, [&D](int64_t) { std::swap(D, D); }, consistency::async);  // expected-error: this use of the container `D` is not understood [SAP051] // expected-error: this use of the container `D` is not understood
  parallel_for(n, [&D](int64_t) { auto* p = &D; (void)p; }, consistency::async);  // expected-error: this use of the container `D` is not understood
}

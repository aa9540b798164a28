// Right if it is meant: warnings, and the file is compiled.
#include <cstdint>
#include <cstdio>
#include <iostream>

#include <stradsap/stradsap.hpp>

using stradsap::dvector;
using stradsap::parallel_for;
namespace consistency = stradsap::consistency;

struct point { float x; float y; };

int main() {
  const int n = 3;
  dvector<point> D(n);
  parallel_for(n, [&D](int64_t j) { std::printf("%f\n", D[j].x); }, consistency::async);  // expected-warning: output in the body of a loop [SAP060]
  parallel_for(n, [&D](int64_t j) { std::cout << D[j].x << '\n'; }, consistency::async);  // expected-warning: output in the body of a loop
  parallel_for(n, [&D](int64_t j) { std::fprintf(stderr, "%f\n", D[j].x); }, consistency::async);  // expected-warning: output in the body of a loop
  parallel_for(n, [&D](int64_t j) {
    auto p = D[j];  // expected-note: declare it as a reference: `auto& p`
    p.x += 1;  // expected-warning: `p` is a copy of an element of a container; its changes are lost [SAP061]
  }, consistency::async);
  parallel_for(n, [&D](int64_t j) {
    auto p = D[j];
    p.x += 1;
    D[j] = p;
  }, consistency::async);
}

// Distributed containers that a body makes, copies or keeps in another object.
#include <cstdint>
#include <vector>

#include <stradsap/stradsap.hpp>

struct Block {
  stradsap::dvector<int> values;
};

static int sum(stradsap::dvector<int> copy) { return copy[0]; }  // expected-error: this use of the container `copy` is not understood [SAP051]

int main() {
  stradsap::dvector<int> x(10);
  std::vector<stradsap::dvector<int>> many(3);
  stradsap::dvector<stradsap::dmap<int, int>> nested;  // expected-error: elements of `nested` cannot be sent to other processes: `stradsap::dmap<int, int>` is a distributed container, which cannot be inside another object [SAP020]
  Block block;
  stradsap::async_for(10, [&x](int64_t j) { stradsap::dvector<int> local(3); x[j] = local[0]; });  // expected-error: a distributed container is made in the body of a loop [SAP052] // expected-error: this use of the container `local` is not understood [SAP051]
  stradsap::async_for(10, [&x](int64_t j) { x[j] = sum(x); });  // expected-error: a distributed container is made in the body of a loop [SAP052]
  stradsap::async_for(10, [&x](int64_t j) { const auto copy = x; x[j] = copy[j]; });  // expected-error: a distributed container is made in the body of a loop [SAP052] // expected-error: this use of the container `copy` is not understood [SAP051]
  stradsap::async_for(10, [&x, &many](int64_t j) { x[j] = many[0][j]; });  // expected-error: `many` leads to distributed containers, and other processes cannot follow it [SAP076] // expected-note: name each container before the loop, `auto& one = many[i];`, and use that in the body
  stradsap::async_for(10, [&x, block](int64_t j) { x[j] = block.values[j]; });  // expected-error: `block`, which has containers among its members, is captured by value [SAP075]
}

// Subscripts that depend on data that the loop writes.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <tuple>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::dmap;
using stradsap::dvector;
using stradsap::parallel_for;
namespace consistency = stradsap::consistency;

static void link(dvector<int>& parent, int from, int to) {
  parent[parent[from]] = to;  // expected-remark: depends on data in `parent`, which this loop writes
}

struct sets {
  int& to;
  int from;
  ~sets() { to = from; }
};
void looks_at(int& element);
int64_t unknown(int64_t j);

/// Through lambdas passed to algorithms.
static void algorithms() {
  const int n = 10;
  dvector<float> X(n);
  dvector<std::vector<int>> lists(n);
  const auto steps = [] { return [](int& x) { ++x; }; };
  parallel_for(n, [&lists, &X](int64_t j) {
    std::ranges::for_each(lists[j / 2], [](int& x) { ++x; });
    X[lists[j / 2][0]] = 1;  // expected-remark: depends on data in `lists`
  }, consistency::async);
  parallel_for(n, [&lists, &X](int64_t j) {
    std::ranges::for_each(lists[j / 2], [](auto& x) { ++x; });
    X[lists[j / 2][0]] = 1;  // expected-remark: depends on data in `lists`
  }, consistency::async);
  parallel_for(n, [&lists, &X, steps](int64_t j) {
    std::ranges::for_each(lists[j / 2], steps());
    X[lists[j / 2][0]] = 1;  // expected-remark: depends on data in `lists`
  }, consistency::async);
  parallel_for(n, [&lists, &X](int64_t j) {
    std::apply([](std::vector<int>& v, int by) { v[0] += by; }, std::tie(lists[j / 2], j));  // expected-remark: depends on data in `lists`
    X[lists[j / 2][0]] = 1;  // expected-remark: depends on data in `lists` // expected-remark: depends on data in `lists`
  }, consistency::async);
  parallel_for(n, [&lists](int64_t j) {
    std::ranges::for_each(lists[j / 2], [&lists](int x) { lists[x][0] = 1; });  // expected-remark: depends on data in `lists`
  }, consistency::async);
}

int main() {
  algorithms();
  const int n = 10;
  dvector<int> parent(n), aligned(n);
  dvector<float> W(n), X(n);
  std::vector<int> k(3);

  parallel_for(n, [&parent](int64_t j) { parent[parent[j]] = 1; }, consistency::async);  // expected-remark: depends on data in `parent`
  parallel_for(n, [&parent](int64_t j) { link(parent, static_cast<int>(j), 3); }, consistency::async);
  // through a guard, a local variable, an early return, a loop's bound
  parallel_for(n, [&W, &X, &k](int64_t j) {
    if (W[j / 2] > 0) X[k[j % 3]] = 1;  // expected-remark: depends on data in `W`
    W[j / 2] += 1;
  }, consistency::async);
  parallel_for(n, [&W, &X](int64_t j) {
    int i = 0;
    if (W[j / 2] > 0) i = 1;
    X[i] = 1;  // expected-remark: depends on data in `W`
    W[j / 2] += 1;
  }, consistency::async);
  parallel_for(n, [&W, &X](int64_t j) {
    const float w = W[j / 2];
    if (w > 3) return;  // the slice cannot find the accesses after it: the function may do anything
    X[unknown(j)] = 1;  // expected-error: depends on data in `W`
    W[j / 2] += w;  // the element of the read above
  }, consistency::async);
  // through an array and a pointer
  parallel_for(n, [&parent](int64_t j) {
    int path[2] = {0, 0};
    int* end = path;
    end[1] = parent[j];
    parent[path[1]] = 2;  // expected-remark: depends on data in `parent`
  }, consistency::async);
  // through a destructor
  parallel_for(n, [&parent](int64_t j) {
    int k = 0;
    { const sets last{k, parent[j / 2]}; }  // its reads are found by j alone
    parent[k] = 1;  // expected-remark: depends on data in `parent`, which this loop writes
  }, consistency::async);
  // passed to a function of unknown text
  parallel_for(n, [&parent](int64_t j) {
    int k = 0;
    auto later = std::bind([](int& to, int from) { to = from; }, std::ref(k), parent[j / 2]);
    later();
    parent[k] = 1;  // expected-remark: depends on data in `parent`, which this loop writes
  }, consistency::async);
  parallel_for(n, [&parent, &W](int64_t j) {
    looks_at(parent[j / 2]);
    W[parent[j / 2]] += 1;  // expected-error: depends on data in `parent`, which this loop may write [SAP053]
  }, consistency::async);
  // an aligned container may steer: no other iteration writes its element
  parallel_for(n, [&aligned, &W](int64_t j) {
    W[aligned[j]] += 1;
    aligned[j] += 1;
  }, consistency::async);
}

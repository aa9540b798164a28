// Union-find with path halving: values that earlier iterations wrote steer later ones.
#include <cstdint>
#include <utility>

#include <stradsap/stradsap.hpp>

static int find(stradsap::dvector<int>& parent, int v) {
  while (parent[v] != v) {  // expected-remark: which element is used here depends on data in `parent`, which this loop writes
    parent[v] = parent[parent[v]];  // expected-remark: which element is used here depends on data in `parent`, which this loop writes // expected-remark: which element is used here depends on data in `parent`, which this loop writes // expected-remark: which element is used here depends on data in `parent`, which this loop writes
    v = parent[v];  // expected-remark: which element is used here depends on data in `parent`, which this loop writes
  }
  return v;
}

int main() {
  stradsap::dvector<int> parent(100);
  stradsap::dvector<std::pair<int, int>> edges(300);
  stradsap::async_for(edges.size(), [&](int64_t j) {
    const int a = find(parent, edges[j].first), b = find(parent, edges[j].second);
    if (a != b) parent[a] = b;  // expected-remark: which element is used here depends on data in `parent`, which this loop writes
  });
}

// Lists of nearest neighbours: an element owns its list, the standard algorithms sort it.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

struct Neighbour {
  int id;
  int distance;
  friend bool operator<(const Neighbour& a, const Neighbour& b) {
    return std::pair(a.distance, a.id) < std::pair(b.distance, b.id);
  }
  friend bool operator==(const Neighbour&, const Neighbour&) = default;
};

using List = std::vector<Neighbour>;

template <class Positions>
static List nearest(const Positions& x, int self, int n, size_t k) {
  List list;
  for (int i = 0; i < n; ++i) {
    if (i != self) list.push_back({i, std::abs(x[i] - x[self])});
  }
  std::partial_sort(list.begin(), list.begin() + static_cast<long>(k), list.end());
  list.resize(k);
  return list;
}

int main() {
  const int n = 300;
  const size_t k = 5;
  std::vector<int> x(n);
  for (int i = 0; i < n; ++i) x[i] = i * i * 17 % 1009;

  stradsap::dvector<int> position(x.begin(), x.end());
  stradsap::dvector<List> lists(n);
  stradsap::async_for(n, [&lists, &position, n, k](int j) { lists[j] = nearest(std::as_const(position), j, n, k); });
  stradsap::async_for(n, [&lists](int j) {
    auto& list = lists[j];
    std::reverse(list.begin(), list.end());
    std::erase_if(list, [limit = 20](const Neighbour& near) { return near.distance > limit; });
  });

  for (int j = 0; j < n; ++j) {
    List wanted = nearest(x, j, n, k);
    std::reverse(wanted.begin(), wanted.end());
    std::erase_if(wanted, [](const Neighbour& near) { return near.distance > 20; });
    if (std::as_const(lists)[j] != wanted) return 1;
  }
  return 0;
}

// `auto` without `&`: the copy is changed and the element is not.
#include <cstdint>
#include <array>
#include <string>
#include <vector>

#include <stradsap/stradsap.hpp>

struct Weights {
  std::array<double, 3> w{};
  std::string name;
};

int main() {
  stradsap::dvector<Weights> model(10);
  stradsap::dmap<int, std::vector<int>> lists;
  stradsap::async_for(10, [&model](int64_t j) {
    auto weights = model[j];
    weights.w[0] += 1;  // expected-warning: `weights` is a copy of an element of a container; its changes are lost [SAP061]
  });
  stradsap::async_for(10, [&lists](int64_t j) {
    auto list = lists[static_cast<int>(j)];
    list.push_back(1);  // expected-warning: `list` is a copy of an element of a container; its changes are lost [SAP061]
  });
  stradsap::async_for(10, [&model](int64_t j) {
    auto old = model[j];
    old.w[0] *= 2;
    model[j] = old;
  });
}

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
    auto [w, name] = model[j];  // expected-note: declare it as a reference: `auto& [w, name]`
    w[1] = 2;  // expected-warning: `w` is a copy of an element of a container; its changes are lost [SAP061]
    name += 'x';
    model[j].name = name;
  });
  stradsap::dvector<std::pair<int, double>> pairs(10);
  stradsap::async_for(10, [&pairs](int64_t j) {
    auto [count, sum] = pairs[j];
    ++count;  // expected-warning: `count` is a copy of an element of a container; its changes are lost [SAP061]
    pairs[j].second += sum;
  });
  stradsap::async_for(10, [&model](int64_t j) {
    auto old = model[j];
    old.w[0] *= 2;
    model[j] = old;
  });
}

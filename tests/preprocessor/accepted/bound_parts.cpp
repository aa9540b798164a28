// Subscripts from parts of pairs and tuples that are changed by another name: structured bindings, std::get. From
// copies of captured entries too, in optionals and variants.
#include <cstdio>
#include <optional>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <stradsap/stradsap.hpp>

constexpr int n = 64;

struct places {
  std::pair<int, int> both;
  int first() const { return both.first; }
};

int main() {
  stradsap::dvector<double> w(2 * n, 1.0);
  stradsap::dvector<int> turn(n);
  for (int j = 0; j < n; ++j) turn[j] = j % 3;
  std::vector<int> id(n);
  for (int j = 0; j < n; ++j) id[j] = j * 13 % n;
  for (int pass = 0; pass < 3; ++pass) {
    stradsap::async_for(n, [&](int j) {
      std::variant<double, int> one = id[j];
      const auto other = std::make_optional(id[j]);
      w[std::get<int>(one)] = w[n + *other] * 0.5 + j;
    });
    stradsap::async_for(n, [&](int j) {
      std::pair<int, int> pair{j, j * 7 % n + n};
      auto& [at, other] = pair;
      if (turn[j] == 1) pair.first = other;
      w[at] = w[at] * 0.5 + j;
    });
    stradsap::async_for(n, [&](int j) {
      std::pair<int, int> pair{j, j * 5 % n + n};
      if (turn[j] == 2) pair.second = j;
      w[std::get<1>(pair)] = w[std::get<1>(pair)] * 0.5 + j;
    });
    stradsap::async_for(n, [&](int j) {
      std::tuple<int, int> of(j, j * 3 % n + n);
      auto& [at, other] = of;
      if (turn[j] == 0) at = other;
      w[std::get<0>(of)] = w[std::get<0>(of)] * 0.5 + j;
    });
    stradsap::async_for(n, [&](int j) {
      places two{{j, j * 11 % n + n}};
      auto& [at, other] = two.both;
      if (turn[j] == 1) std::swap(at, other);
      w[two.first()] = w[two.first()] * 0.5 + j;
    });
  }
  double sum = 0;
  for (int i = 0; i < 2 * n; ++i) sum += w[i] * i;
  std::printf("%.17g\n", sum);
}

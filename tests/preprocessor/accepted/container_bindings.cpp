// Containers under the names of structured bindings that a tuple, a pair, a struct or an array gives.
#include <stradsap/stradsap.hpp>

#include <array>
#include <cstdio>
#include <map>
#include <string>
#include <tuple>
#include <utility>

using namespace stradsap;

struct pair_of {
  dvector<int64_t> first, second;
};

static int failures = 0;

static void check(const char* what, const dvector<int64_t>& x, int64_t wanted) {
  int64_t sum = 0;
  for (const int64_t one : x) sum += one;
  std::printf("%s: %lld\n", what, static_cast<long long>(sum));
  failures += sum == wanted ? 0 : 1;
}

static std::tuple<dvector<int64_t>&, dvector<int64_t>&> both(dvector<int64_t>& a, dvector<int64_t>& b) {
  return {a, b};
}

int main() {
  constexpr int64_t n = 600;
  dvector<int64_t> x(n, 1), y(n, 2);
  auto [a, b] = std::tie(x, y);
  async_for(n, [&a, &b](int64_t j) { a[j] += b[j] * j; });
  check("tie", x, n + n * (n - 1));
  auto [c, d] = both(x, y);
  parallel_for(n, [&c, &d](int64_t j) { c[j * 7 % n] = d[j] + 1; }, consistency::ordered);
  check("a function that returns a tuple", x, 3 * n);

  std::map<std::string, dvector<int64_t>> parts;
  parts["a"].resize(n);
  parts["b"].resize(n);
  for (auto& [name, part] : parts) {
    async_for(n, [&part](int64_t j) { part[j * 7 % 50] = part[j * 7 % 50] + j; });
    check(name.c_str(), part, n * (n - 1) / 2);
  }
  std::pair<dvector<int64_t>, dvector<int64_t>> halves(x, y);
  auto& [left, right] = halves;
  async_for(n, [&left = left, &right = right](int64_t j) { left[n - 1 - j] += right[j]; });
  check("a pair", halves.first, 5 * n);

  pair_of own{dvector<int64_t>(n, 1), dvector<int64_t>(n, 3)};
  auto& [one, other] = own;
  async_for(n, [&](int64_t j) { one[j] += 2 * other[j]; });
  check("a struct", own.first, 7 * n);
  dvector<int64_t> both_of[2] = {dvector<int64_t>(n, 4), dvector<int64_t>(50)};
  const auto& [from, unused] = both_of;
  auto& [kept, sums] = both_of;
  async_for(n, [&from, &sums](int64_t j) { sums[j % 50] += from[j]; });
  check("an array", sums, 4 * n);
  std::array<dvector<int64_t>, 2> layers{dvector<int64_t>(n, 2), dvector<int64_t>(n)};
  auto& [in, out] = layers;
  async_for(n, [&](int64_t j) { out[n - 1 - j] = in[j] + kept[j] + static_cast<int64_t>(unused.size()); });
  check("a std::array", layers[1], 56 * n);
  return failures;
}

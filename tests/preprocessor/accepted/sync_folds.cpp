// Changes of a `sync` loop's shards combine as the body states: by its operator, or as the last value.
#include <stradsap/stradsap.hpp>

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

using namespace stradsap;

static int failures = 0;
static void check(const char* what, bool right) {
  std::printf("%s %s\n", what, right ? "ok" : "WRONG");
  failures += right ? 0 : 1;
}

static void operators() {
  constexpr int n = 1000;
  dmap<int, int> high;
  dmap<std::string, double> low;
  dvector<int> last(4), mask(4), all(4, 0xff), product(4, 1);
  dvector<float> least(4, 1e6f), grown(4, 1);
  for (int k = 0; k < 4; ++k) low["k" + std::to_string(k)] = 1e6;
  sync_for(n, 0, [&high](int j) { high[j % 4] = std::max(high[j % 4], j); });
  sync_for(n, 0, [&low](int j) { low["k" + std::to_string(j % 4)] = std::min(low["k" + std::to_string(j % 4)], 5.0 + j); });
  sync_for(n, 100, [&last](int j) { if (last[j % 4] < j) last[j % 4] = j; });
  sync_for(n, 0, [&mask](int j) { mask[j % 4] |= 1 << j % 8; });
  sync_for(n, 0, [&all](int j) { all[j % 4] &= ~(1 << j % 8); });
  sync_for(16, 0, [&product](int j) { product[j % 4] *= 2; });
  sync_for(16, 0, [&grown](int j) { grown[j % 4] *= 2; });
  sync_for(n, 0, [&least](int j) { least[j % 4] = std::min(least[j % 4], 3.0f * static_cast<float>(j)); });
  bool right = true;
  for (int k = 0; k < 4; ++k) {
    right = right && std::as_const(high).at(k) == n - 4 + k && std::as_const(last)[k] == n - 4 + k;
    right = right && std::as_const(low).at("k" + std::to_string(k)) == 5.0 + k;
    right = right && std::as_const(mask)[k] == ((1 << k) | (1 << (k + 4)));
    right = right && std::as_const(all)[k] == (0xff & ~((1 << k) | (1 << (k + 4))));
    right = right && std::as_const(product)[k] == 16 && std::as_const(grown)[k] == 16;
    right = right && std::as_const(least)[k] == 3.0f * static_cast<float>(k);
  }
  check("operators", right);
}

static void replaced() {
  constexpr int n = 160;
  dvector<int> seen(10), level(10, -1), name(10);
  dmap<int, int> known;
  sync_for(n, 0, [&seen](int j) { seen[j % 10] = 1; });
  sync_for(n, 0, [&level](int j) {
    if (level[j % 10] < 0) level[j % 10] = 7;
  });
  sync_for(n, 0, [&name](int j) {
    int& x = name[j % 10];
    x = 5;
  });
  sync_for(n, 0, [&known](int j) { known[j % 10] = 3; });
  bool right = true;
  for (int k = 0; k < 10; ++k) {
    right = right && std::as_const(seen)[k] == 1 && std::as_const(level)[k] == 7;
    right = right && std::as_const(name)[k] == 5 && std::as_const(known).at(k) == 3;
  }
  check("replaced", right);
}

/// Differences: the update reads the element itself.
static void added() {
  constexpr int n = 160;
  dvector<double> weight(10, 1.0);
  sync_for(n, 0, [&weight](int j) { weight[j % 10] = weight[j % 10] - 0.25; });
  bool right = true;
  for (int k = 0; k < 10; ++k) right = right && std::as_const(weight)[k] == 1.0 - 16 * 0.25;
  check("added", right);
}

int main() {
  operators();
  replaced();
  added();
  return failures;
}

// Init-captures with an initialiser that only the driver can evaluate: containers
// of namespaces, classes, objects and collections, and sums that are global.
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::async_for;
using stradsap::dmap;
using stradsap::dvector;

constexpr int n = 120;

namespace space {
dvector<long> weights(n);
dmap<int, long> counts;
long total = 0;
const dvector<long> first(n, 3);
}  // namespace space

class model {
 public:
  void train(std::size_t layer, long step);
  long sum() const;
  long rate = 2;
  std::vector<dvector<long>> layers = std::vector<dvector<long>>(2);

 private:
  static inline dvector<long> shared_ = dvector<long>(n);
};

void model::train(std::size_t layer, long step) {
  if (std::as_const(layers[layer]).size() == 0) layers[layer].resize(n);
  async_for(n, [&w = layers[layer], &shared = model::shared_, rate = rate, step](int64_t j) {
    w[j * 7 % n] += rate * step;
    shared[j] += j;
  });
}

long model::sum() const {
  long found = 0;
  for (const auto& layer : layers)
    for (const long w : layer) found += w;
  for (const long w : std::as_const(shared_)) found += w;
  return found;
}

struct world {
  dvector<long> heights = dvector<long>(n);
  struct {
    dvector<long> visits = dvector<long>(n);
  } log;
  long steps = 0;
  long scale = 2;
};
static world earth;
static long scaled(long x) { return x * earth.scale; }

struct numbers {
  long seen = 0;
  long limit = 50;
};
static numbers all;
static bool is_small(long x) { return x < all.limit; }

static long factor = 3;
static long times(long x) { return x * factor; }

template <class T> static void fill(std::map<std::string, dvector<T>>& tables, const char* name) {
  async_for(n, [&table = tables.at(name), &weights = space::weights](int64_t j) {
    table[j * 11 % n] += static_cast<T>(weights[j]) + 1;
  });
}

static long sum_of(const dvector<long>& x) {
  long sum = 0;
  for (const long value : x) sum += value;
  return sum;
}

static bool globals() {
  async_for(n, [&w = space::weights, &c = space::counts, &f = space::first](int64_t j) {
    w[j * 13 % n] += f[j];
    c[static_cast<int>(j % 10)] += 2;
  });
  async_for(n, [&w = space::weights, &t = space::total](int64_t j) { t += w[j]; });
  stradsap::parallel_for(n, [&w = ::space::weights](int64_t j) { w[j / 2] = w[j / 2] * 3 + j; },
                         stradsap::consistency::ordered);
  std::vector<long> weights(n, 3);
  for (int j = 0; j < n; ++j) weights[j / 2] = weights[j / 2] * 3 + j;
  for (int j = 0; j < n; ++j) {
    if (std::as_const(space::weights)[j] != weights[j]) return false;
  }
  return space::total == 3 * n && std::as_const(space::counts).at(4) == 24;
}

static bool collections() {
  model net;
  for (std::size_t layer = 0; layer < 2; ++layer) net.train(layer, static_cast<long>(layer) + 1);
  if (net.sum() != n * 2 * 3 + 2 * (n * (n - 1) / 2)) return false;

  std::array<dvector<long>, 2> grid{dvector<long>(n), dvector<long>(n)};
  const auto owned = std::make_unique<dvector<long>>(n);
  for (int k = 0; k < 4; ++k) {
    const auto step = [&row = grid[k % 2], &other = k < 2 ? *owned : space::weights, k](int64_t j) {
      row[j * 7 % n] += k + 0 * other[j];
    };
    async_for(n, step);
  }
  if (sum_of(grid[0]) != 2 * n || sum_of(grid[1]) != 4 * n) return false;

  std::map<std::string, dvector<float>> tables;
  tables["one"].resize(n);
  fill(tables, "one");
  dvector<long> c_array[2] = {dvector<long>(n), dvector<long>(n)};
  model* const at = &net;
  async_for(n, [&a = c_array[0], &b = c_array[1], &layer = at->layers[1], &l0 = net.layers[0],
                rate = net.rate](int64_t j) {
    a[j] = layer[j] * rate;
    b[j * 3 % n] += l0[j];
  });
  return sum_of(c_array[0]) == n * 4 * 2 && sum_of(c_array[1]) == n * 2 &&
         std::as_const(tables["one"])[11] == static_cast<float>(std::as_const(space::weights)[1] + 1);
}

/// Helpers and captures read the same globals; their values travel with the loop.
static bool helpers() {
  dvector<long> x(n, 1);
  for (int pass = 0; pass < 2; ++pass) {
    async_for(n, [&x, f = factor](int64_t j) { x[j] = times(x[j]) + f; });
    factor = 5;
  }
  async_for(n, [&h = earth.heights, &v = earth.log.visits, &s = earth.steps](int64_t j) {
    h[j * 7 % n] += 2;
    v[j] += 1;
    s += 1;
  });
  all.limit = 60;
  async_for(n, [&seen = all.seen](int64_t j) {
    if (is_small(j)) seen += 1;
  });
  const auto added = [&w = earth.heights](int64_t j) { return w[j] + 1; };
  async_for(n, [&x, added](int64_t j) { x[j] += added(j); });
  return sum_of(x) == n * (6 * 5 + 5 + 3) && earth.steps == n && sum_of(earth.log.visits) == n &&
         all.seen == 60 && scaled(2) == 4;
}

int main() { return !globals() ? 1 : !collections() ? 2 : !helpers() ? 3 : 0; }

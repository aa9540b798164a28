// async_for and sync_for take a label before and options behind, as parallel_for does.
#include <cstdint>
#include <vector>

#include <stradsap/stradsap.hpp>

using namespace stradsap;

// By its pointer alone, a reader must assume that rows change.
using step = int64_t (*)(std::vector<int64_t>&, int64_t);
static int64_t at(std::vector<int64_t>& row, int64_t i) { return row[i % row.size()]; }
static const step look_up = at;

struct twice {
  dvector<int64_t>& of;
  void operator()(int64_t j) const { of[j] *= 2; }
};

template <class Body> static void each(const char* label, int64_t n, const Body& body) {
  async_for(label, n, body);
  sync_for(label, n, 16, body);
}

int main() {
  constexpr int64_t n = 512, buckets = 8;
  dvector<std::vector<int64_t>> table(buckets, std::vector<int64_t>{1, 2, 3});
  dvector<int64_t> to(n), sums(buckets);
  async_for("fill", n, [&to](int64_t j) { to[j] = j * 7 % buckets; });
  async_for("add", n, [&](int64_t j) { sums[to[j]] += look_up(table[to[j]], j); }, access(reads(table), adds(sums)));
  sync_for("add again", n, 64, [&](int64_t j) { sums[to[j]] += 1; }, access(adds(sums)));
  sync_for(n, 64, [&](int64_t j) { sums[to[j]] += 1; }, access(reads(to)));
  async_for(n, [&to](int64_t j) { to[j] += 1; }, access(writes(to)));
  async_for("twice", n, twice{to});
  sync_for("twice", n, 32, twice{to});
  each("each", n, [&to](int64_t j) { to[j] += 1; });
  int64_t wrong = 0;
  for (int64_t b = 0; b < buckets; ++b) {
    int64_t sum = 0;
    for (int64_t j = 0; j < n; ++j) sum += j * 7 % buckets == b ? j % 3 + 3 : 0;
    wrong += sums[b] != sum;
  }
  for (int64_t j = 0; j < n; ++j) wrong += to[j] != 4 * (j * 7 % buckets + 1) + 2;
  return wrong == 0 ? 0 : 1;
}

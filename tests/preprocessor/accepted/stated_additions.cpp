// access(adds(Q)) covers additions in any form of the text, and arguments of functions of unknown text.
#include <array>
#include <cstdint>
#include <cstdio>
#include <map>
#include <vector>

#include <stradsap/stradsap.hpp>

using namespace stradsap;

using row = std::array<int64_t, 4>;
struct sums {
  int64_t total = 0;
  row parts{};
  sums& operator+=(const row& more) {
    for (int k = 0; k < 4; ++k) parts[k] += more[k];
    ++total;
    return *this;
  }
};

static void add_all(row& to, const row& what) {
  for (size_t k = 0; k < to.size(); ++k) to[k] += what[k];
}
static void look(int64_t& x) { x += 1; }
static void (*const unseen)(int64_t&) = look;  // for a reader of this pointer alone, the user's word counts

int main() {
  constexpr int64_t n = 1000, buckets = 20;
  dvector<row> samples(n, row{1, 2, 3, 4});
  dvector<int64_t> counts(buckets);
  dvector<row> rows(buckets);
  dvector<sums> all(buckets);
  dvector<std::vector<int64_t>> lists(buckets, std::vector<int64_t>(4));
  dmap<int64_t, std::map<int64_t, int64_t>> maps;
  parallel_for(n, [&](int64_t j) {
    const int64_t k = j % buckets;
    counts[k] += 1;
    int64_t& count = counts[(k + 1) % buckets];
    count = count + 2;
    --count;
    unseen(count);
    add_all(rows[k], samples[j]);
    for (int64_t& x : rows[(k + 3) % buckets]) x -= 1;
    row& mine = rows[k];
    mine[1]++;
    all[k] += samples[j];
    for (size_t i = 0; i < 4; ++i) lists[k][i] += samples[j][i];
    maps[k][j % 3] += 1;
    const auto found = maps.find(k);
    found->second[7] += 1;
    (void)counts[k];
  }, consistency::async, access(adds(counts, rows, all, lists), adds(maps), reads(samples)));
  int64_t sum = 0;
  for (int64_t k = 0; k < buckets; ++k) {
    sum += counts[k] + rows[k][1] + all[k].total + all[k].parts[3] + lists[k][2] + maps[k][0] + maps[k][7];
  }
  std::printf("%lld\n", static_cast<long long>(sum));
  return counts[3] == 150 && rows[3][1] == 100 && all[3].parts[3] == 200 && maps[3][7] == 50 ? 0 : 1;
}

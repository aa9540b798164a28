// The user's statements about containers win: a lookup table that the body
// could write through but never does, and counters that are only added into.
#include <cstdint>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::access;
using stradsap::adds;
using stradsap::dvector;
using stradsap::parallel_for;
using stradsap::reads;
namespace consistency = stradsap::consistency;

using step = int64_t (*)(std::vector<int64_t>&, int64_t);
static int64_t at(std::vector<int64_t>& row, int64_t i) { return row[i % row.size()]; }
static const step look_up = at;  // a reader of this pointer alone must assume that rows change

int main() {
  constexpr int64_t n = 4000, buckets = 64;
  dvector<std::vector<int64_t>> tables(10);
  for (int64_t i = 0; i < 10; ++i) {
    for (int64_t k = 0; k < 7; ++k) tables[i].push_back(i * k % 5);
  }
  dvector<int64_t> counts(buckets), sums(buckets), found(buckets);
  std::vector<int64_t> expected(buckets);
  for (int64_t j = 0; j < n; ++j) expected[j % 10 * (j % 7) % 5 + j % 50] += 1;

  parallel_for(n, [&tables, &counts](int64_t j) { counts[look_up(tables[j % 10], j % 7) + j % 50] += 1; },
               consistency::async, access(reads(tables), adds(counts)));
  parallel_for("found by the tool", n, [&sums, &found](int64_t j) {
    sums[j % buckets] += j;
    int64_t& mine = found[j * 3 % buckets];
    ++mine;
    mine = mine + 2;
  }, consistency::async);
  for (int64_t i = 0; i < buckets; ++i) {
    if (counts[i] != expected[i]) return 1;
    int64_t sum = 0, hits = 0;
    for (int64_t j = 0; j < n; ++j) {
      sum += j % buckets == i ? j : 0;
      hits += j * 3 % buckets == i ? 3 : 0;
    }
    if (sums[i] != sum || found[i] != hits) return 2;
  }
  return 0;
}

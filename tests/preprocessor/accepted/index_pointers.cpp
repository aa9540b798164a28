// Pointers and spans to constants, given to functions that also write elements: their targets stay as they
// are, so no data that the loop writes decide a place. A function that casts the const away may write there.
#include <stradsap/stradsap.hpp>

#include <cstdio>
#include <span>
#include <vector>

using stradsap::dvector;
using stradsap::parallel_for;
namespace consistency = stradsap::consistency;

static void add(const int* ids, dvector<double>& counts) { counts[ids[0]] += ids[1] + 1; }
static void put(dvector<double>& counts, std::span<const int> ids, double weight) {
  for (const int id : ids) counts[id] += weight;
}
static void count(const int* first, int length, dvector<double>& counts, dvector<double>& pairs) {
  for (int t = 0; t + 1 < length; ++t) {
    counts[first[t]] += 1;
    pairs[first[t] * 8 + first[t + 1]] += 0.5;
  }
}
static void renumber(const int* ids, dvector<double>& counts) {
  *const_cast<int*>(ids) = static_cast<int>(counts[*ids]) % 8;
  counts[*ids] += 1;
}

int main() {
  const int n = 1000;
  std::vector<int> ids(2 * n + 2);
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<int>(i * i % 8);
  dvector<double> counts(8), pairs(64);
  dvector<int> own(2 * n);
  for (int i = 0; i < 2 * n; ++i) own[i] = i % 8;
  parallel_for(n, [&](int64_t i) { add(&ids[i], counts); }, consistency::async);
  parallel_for(n, [&](int64_t i) { put(counts, std::span<const int>(ids).subspan(i, 2), 0.25); }, consistency::async);
  parallel_for(n, [&](int64_t i) { count(&ids[2 * i], 3, counts, pairs); }, consistency::async);
  parallel_for(n, [&](int64_t i) { put(counts, std::as_const(own).span(2 * i, 2), 0.5); }, consistency::async);
  parallel_for(n, [&](int64_t i) { renumber(&own[i], counts); }, consistency::async);
  double sum = 0;
  for (int k = 0; k < 8; ++k) sum += (k + 1) * counts[k];
  for (int k = 0; k < 64; ++k) sum += (k + 1) * pairs[k];
  for (int i = 0; i < n; ++i) sum += own[i] * (i % 13);
  std::printf("%.17g\n", sum);
}

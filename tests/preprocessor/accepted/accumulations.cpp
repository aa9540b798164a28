// Accumulations, their operators, and near misses: a container that is read anywhere,
// two operators, a value that is used, and updates that truncate each time.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::dmap;
using stradsap::dvector;

struct moments {
  std::array<double, 2> sum{};
  long count = 0;
};

constexpr int64_t n = 3000;
constexpr int64_t k = 12;

/// The same loop over both kinds of containers.
template <class Sums, class Numbers, class Reals, class Bits>
static void only_added(int64_t j, Sums& sums, Numbers& counts, Numbers& most, Reals& product, Bits& seen) {
  const int64_t at = j * j % k;
  moments& m = sums[at];
  for (int d = 0; d < 2; ++d) m.sum[d] += static_cast<double>(j % (d + 5));
  m.count++;
  counts[at] -= 2;
  counts[(at + 1) % k] = counts[(at + 1) % k] + j;
  most[at] = std::max(most[at], j % 1000);
  product[at] *= j % 2 == 0 ? 2.0 : 0.5;
  seen[at] |= uint64_t{1} << (j % 64);
}

template <class T, class From> static bool same(const dvector<T>& a, const From& b) {
  bool all = true;
  for (int64_t i = 0; i < k; ++i) all = all && a[i] == b[i];
  return all;
}

int main() {
  dvector<moments> sums(k);
  dvector<int64_t> counts(k), most(k, -1);
  dvector<double> product(k, 1.0);
  dvector<uint64_t> seen(k);
  stradsap::async_for(n, [&](int64_t j) { only_added(j, sums, counts, most, product, seen); });

  std::vector<moments> sums_too(k);
  std::vector<int64_t> counts_too(k), most_too(k, -1);
  std::vector<double> product_too(k, 1.0);
  std::vector<uint64_t> seen_too(k);
  for (int64_t j = 0; j < n; ++j) only_added(j, sums_too, counts_too, most_too, product_too, seen_too);
  bool right = same(counts, counts_too) && same(most, most_too) && same(seen, seen_too) && same(product, product_too);
  for (int64_t i = 0; i < k; ++i) {
    const moments& m = sums[i];
    right = right && m.sum == sums_too[i].sum && m.count == sums_too[i].count;
  }

  // all of these are read somewhere or truncate, so they equal the plain program only in program order
  dvector<long> both(k), used(k), cut(k, 10), looked(k), guarded(k);
  dvector<short> narrow(k);
  dvector<unsigned> mixed(k, 1);
  dmap<int64_t, long> words, known{{0, 0}, {1, 0}, {2, 0}};
  stradsap::parallel_for(n, [&](int64_t j) {
    const int64_t at = j % k;
    both[at] += both[(at + 1) % k] % 3 + 1;
    mixed[at] += 3;
    mixed[at] *= 5;
    if (++used[at] == 7) looked[0] += 1;
    cut[at] += -0.5;
    narrow[at] = static_cast<short>(std::max<int>(narrow[at], static_cast<int>(j * 40)));
    if (j > looked[at] && ++guarded[at] > 0) looked[at] = j;
    words[at] += 1;
    known.at(j % 3) += 1;
  }, stradsap::consistency::ordered);
  std::vector<long> both_too(k), cut_too(k, 10);
  std::vector<unsigned> mixed_too(k, 1);
  for (int64_t j = 0; j < n; ++j) {
    both_too[j % k] += both_too[(j + 1) % k] % 3 + 1;
    mixed_too[j % k] = (mixed_too[j % k] + 3) * 5;
    cut_too[j % k] += -0.5;
  }
  right = right && same(both, both_too) && same(cut, cut_too) && same(mixed, mixed_too) && words[3] == n / k && known[2] == n / 3;
  std::printf("%s\n", right ? "right" : "wrong");
  return right ? 0 : 1;
}

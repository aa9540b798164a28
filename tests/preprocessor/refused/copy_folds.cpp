// Changes that do not fold as the body means them, where shards or accumulators have copies of elements.
#include <algorithm>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

using namespace stradsap;

struct candidate {
  float distance = 1e9f;
  int index = 0;
};

static const candidate& nearer(const candidate& folded, const candidate& end) {
  return end.distance < folded.distance ? end : folded;
}

/// Two instances that mean different folds.
template <bool adds> void change(dvector<int>& x) {
  sync_for(1000, 0, [&](int64_t j) {  // expected-error: `x` is used differently in two instances of this template [SAP034]
    if constexpr (adds) x[j % 8] += 2;
    else x[j % 8] = 2;
  });
}

/// Two that mean the same: of whole numbers it is an operator, of others NaN matters.
template <class T> void lower(dvector<T>& low, const dvector<T>& values) {
  sync_for(1000, 0, [&](int64_t j) { low[j % 8] = values[j] < low[j % 8] ? values[j] : low[j % 8]; });
}

/// The text is clear, a merge is given, or differences are meant.
static void clear_texts() {
  constexpr int n = 1000;
  dvector<float> least(8, 1e9f), rate(8), X(n);
  dvector<int> seen(80), sums(8);
  dvector<candidate> best(8);
  dmap<int, int> known;
  const auto by_distance = [](const candidate& folded, const candidate&, const candidate& end) { return nearer(folded, end); };
  parallel_for(n, [&](int j) {
    if (X[j] < best[j % 8].distance) best[j % 8] = {X[j], j};
  }, consistency::sync({.merge = by_distance}));
  parallel_for(n, [&](int j) { std::fill_n(&seen[j % 8 * 10], 10, 1); }, consistency::sync({.batch = 64, .merge = merge::last}));
  constexpr auto summed = consistency::sync({.merge = merge::sum});
  parallel_for(n, [&](int j) { std::fill_n(&seen[j % 8 * 10], 10, 1); }, summed);
  async_for(n, [&](int j) { std::fill_n(&seen[j % 8 * 10], 10, 1); });
  sync_for(n, 0, [&](int j) {
    if (j % 100 == 0) rate[j % 8] = 0;
    rate[j % 8] += 0.25f * X[j];
  });
  sync_for(n, 0, [&](int j) {
    if (sums[j % 8] < 0) sums[j % 8] = 7;
    known[j % 8] = std::max(known[j % 8], j);
  });
  dvector<int> whole(n);
  lower(sums, whole);
  lower(least, X);
}

int main() {
  constexpr int n = 1000;
  dvector<float> least(8, 1e9f), rate(8), X(n);
  dvector<int> nearest(8), seen(80), state(8), sums(8), kept(8, 0, consistency::stale(0));
  dvector<candidate> best(8), parts(8);

  sync_for(n, 0, [&](int j) {
    const float distance = X[j];
    if (distance < least[j % 8]) {
      least[j % 8] = distance;
      nearest[j % 8] = j;  // expected-warning: a comparison decides this store into `nearest`, but of several shards the last one's value counts [SAP088] // expected-note: put `nearest[j % 8]` and the compared value into one class
    }
  });
  sync_for(n, 0, [&](int j) {
    if (X[j] < best[j % 8].distance) best[j % 8] = {X[j], j};  // expected-warning: a comparison decides this store into `best`, but of several shards the last one's value counts [SAP088]
  });
  parallel_for(n, [&](int j) {
    if (X[j] >= parts[j % 8].distance) return;
    parts[j % 8].distance = X[j];
    parts[j % 8].index = j;  // expected-warning: a comparison decides this store into `parts`, but of several shards the last one's value counts [SAP088]
  }, consistency::sync(64));
  sync_for(n, 0, [&](int j) {
    if (j % 3 == 0) state[j % 8] = 1;  // expected-warning: the loop changes `state` in several ways: where several shards change a number, the differences of shards are summed, also for this change [SAP089] // expected-note: use one container for `state[j % 8]` and one for the other changes
    state[(j + 1) % 8] += 2;
  });
  sync_for(n, 0, [&](int j) { std::fill_n(&seen[j % 8 * 10], 10, 1); });  // expected-warning: the text does not show the change of `seen[j % 8 * 10]`, so the differences of shards are summed in `seen` [SAP090] // expected-note: give the loop a merge
  async_for(n, [&](int j) {
    std::swap(kept[j % 8], kept[j % 3]);  // expected-warning: the text does not show the change of `kept[j % 8]` // expected-warning: the text does not show the change of `kept[j % 3]`
  });

  sync_for(n, 0, [&](int j) {
    sums[j % 8] = std::min(sums[j % 8], j);  // expected-warning: the loop changes `sums` in several ways: where several shards change a number, the last shard's value counts, also for this change [SAP089]
    sums[(j + 1) % 8] = std::max(sums[(j + 1) % 8], j);  // expected-warning: the loop changes `sums` in several ways: where several shards change a number, the last shard's value counts, also for this change [SAP089]
  });
  const auto less = [](const candidate& a, const candidate& b) { return a.distance < b.distance; };
  sync_for(n, 0, [&](int j) {
    best[j % 8] = std::min(best[j % 8], candidate{X[j], j}, less);  // expected-warning: a comparison decides this store into `best`, but of several shards the last one's value counts [SAP088]
    const int flag = j % 2;
    if (j < seen[j % 8] || flag) seen[j % 8] = j;  // expected-warning: a comparison decides this store into `seen`, but of several shards the last one's value counts [SAP088]
  });
  change<true>(state);
  change<false>(seen);
  clear_texts();
}

// Strata: rows are renumbered so that the rows of a group lie together, and ratings are bucketed into blocks
// by user group and item group.
//
// Two blocks that share no group touch no common row, so they may run at the same time. Blocks smaller than a
// worker's share keep the rows in use in its cache. On one core with 10 M ratings, K = 64, 16 x 16 blocks
// with prefetch take a third of the time of one block without. Tried: 1 to 16 groups a worker, prefetch 0, 4,
// 8 and 16 ahead.
//
// With -DCONTIGUOUS_STRATA, the rows of a worker lie together, and nothing else is done for the caches: one
// group a worker, no prefetch.

#pragma once

#include "../huge_pages.hpp"
#include "program.hpp"

#ifdef CONTIGUOUS_STRATA
constexpr bool is_for_caches = false;
#else
constexpr bool is_for_caches = true;
#endif

/// The new id of a row, and its group.
struct Place {
  int row;
  int group;
};

/// A renumbering of rows into groups of about equal use. Group g has the new ids [begin[g], begin[g + 1]).
struct Grouping {
  std::vector<Place> place;  // by old id
  std::vector<int> old_id;   // by new id
  std::vector<int> begin;
};

/// Old ids, most used first. A counting sort, so equal uses stay in the order of their ids.
inline std::vector<int> sort_by_use(const std::vector<Rating>& ratings, int Rating::* id, int64_t rows) {
  std::vector<int> uses(rows, 0);
  for (const Rating& r : ratings) ++uses[r.*id];
  const int most = *std::max_element(uses.begin(), uses.end());
  std::vector<int> next(static_cast<size_t>(most) + 2, 0);
  for (const int n : uses) ++next[most - n + 1];
  for (size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
  std::vector<int> sorted(rows);
  for (int row = 0; row < rows; ++row) sorted[next[most - uses[row]]++] = row;
  return sorted;
}

/// Deals the rows out like cards, most used first, and turns at each end, so that groups differ little in
/// use. The most used rows of a group come first and share pages.
inline Grouping group_rows(const std::vector<Rating>& ratings, int Rating::* id, int64_t rows, int groups) {
  const std::vector<int> sorted = sort_by_use(ratings, id, rows);
  Grouping grouping{std::vector<Place>(rows), std::vector<int>(rows), std::vector<int>(groups + 1, 0)};
  const auto dealt_to = [groups](int64_t i) {
    const int seat = static_cast<int>(i % groups);
    return (i / groups) % 2 == 0 ? seat : groups - 1 - seat;
  };
  for (int64_t i = 0; i < rows; ++i) ++grouping.begin[dealt_to(i) + 1];
  for (int g = 0; g < groups; ++g) grouping.begin[g + 1] += grouping.begin[g];
  std::vector<int> next(grouping.begin.begin(), grouping.begin.end() - 1);
  for (int64_t i = 0; i < rows; ++i) {
    const int group = dealt_to(i);
    const int row = next[group]++;
    grouping.place[sorted[i]] = {row, group};
    grouping.old_id[row] = sorted[i];
  }
  return grouping;
}

/// The number of groups on each side: a multiple of the workers, about 8, or 16 for models far beyond a
/// core's caches.
inline int num_groups(int workers, int64_t model_bytes) {
  if (!is_for_caches) return workers;
  const int wanted = model_bytes > (8 << 20) ? 16 : 8;
  return (wanted + workers - 1) / workers * workers;
}

/// The rows of new ids [first, last), with the original's initial values.
template <int K>
huge_vector<Factor<K>> make_rows(const Grouping& grouping, int first, int last, uint64_t seed,
                                 uint64_t matrix) {
  huge_vector<Factor<K>> rows(last - first);
  for (int row = first; row < last; ++row)
    initialize_row(rows[row - first], seed, matrix, grouping.old_id[row]);
  return rows;
}

/// The rows in the order of their old ids.
template <int K, class Rows> std::vector<Factor<K>> in_key_order(const Rows& rows, const Grouping& grouping) {
  std::vector<Factor<K>> ordered(rows.size());
  for (size_t row = 0; row < rows.size(); ++row) ordered[grouping.old_id[row]] = rows[row];
  return ordered;
}

/// The distance of a prefetch, in ratings. A block's array must extend this far beyond its last rating.
constexpr int lookahead = 8;

template <int K> [[gnu::always_inline]] inline void prefetch_row(const Factor<K>* row) {
  for (size_t i = 0; i < sizeof *row; i += 64)
    __builtin_prefetch(reinterpret_cast<const char*>(row) + i, /*for writing*/ 1);
}

/// The number of ratings with interleaved error computations. The additions of one dot product depend on each
/// other, those of four do not. Tried: 2 and 4. Not used under -ffast-math, which may reorder additions, nor
/// below 64 numbers a row, where the processor overlaps ratings by itself.
constexpr int width = 4;
#ifdef __FAST_MATH__
template <int K> constexpr bool runs_side_by_side = false;
#else
template <int K> constexpr bool runs_side_by_side = is_for_caches && K >= 64;
#endif

/// Whether `width` ratings share no row.
inline bool are_apart(const Rating* r) {
  bool apart = true;
  for (int a = 1; a < width; ++a) {
    for (int b = 0; b < a; ++b) apart &= (r[a].user != r[b].user) & (r[a].item != r[b].item);
  }
  return apart;
}

template <int K>
[[gnu::always_inline]] inline void prefetch_rows(const Rating* r, Factor<K>* P, Factor<K>* Q) {
  if constexpr (is_for_caches) {
    prefetch_row<K>(P + r[lookahead].user);
    prefetch_row<K>(Q + r[lookahead].item);
  }
}

/// The steps of `width` ratings that share no row. Returns their summed squared error.
template <int K>
[[gnu::always_inline]] inline double steps(const Rating* r, Factor<K>* P, Factor<K>* Q, float rate,
                                           float reg) {
  const Factor<K>&p0 = P[r[0].user], &p1 = P[r[1].user], &p2 = P[r[2].user], &p3 = P[r[3].user];
  const Factor<K>&q0 = Q[r[0].item], &q1 = Q[r[1].item], &q2 = Q[r[2].item], &q3 = Q[r[3].item];
  float dot[width] = {};
  for (int k = 0; k < K; ++k) {
    dot[0] += p0[k] * q0[k];
    dot[1] += p1[k] * q1[k];
    dot[2] += p2[k] * q2[k];
    dot[3] += p3[k] * q3[k];
  }
  double loss = 0;
  for (int i = 0; i < width; ++i) {
    prefetch_rows<K>(r + i, P, Q);
    const float e = r[i].value - dot[i];
    move<K>(P[r[i].user], Q[r[i].item], e, rate, reg);
    loss += e * e;
  }
  return loss;
}

/// Runs one block in file order. Returns its summed squared error.
template <int K>
double run_block(const Rating* first, const Rating* last, Factor<K>* P, Factor<K>* Q, float rate, float reg) {
  double loss = 0;
  for (const Rating* r = first; r != last; ++r) {
    if constexpr (runs_side_by_side<K>) {
      for (; last - r > width && are_apart(r); r += width) loss += steps<K>(r, P, Q, rate, reg);
    }
    prefetch_rows<K>(r, P, Q);
    const float e = step<K>(P[r->user], Q[r->item], r->value, rate, reg);
    loss += e * e;
  }
  return loss;
}

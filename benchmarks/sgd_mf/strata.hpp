// Strata: rows are renumbered so that the rows of a group lie together, and ratings are bucketed into blocks
// by user group and item group.
//
// Two blocks that share no group touch no common row, so they may run at the same time. Blocks smaller than a
// worker's share keep the rows in use in its cache, for models beyond 8 MB.
//
// The rivals come in two strengths. With -DCONTIGUOUS_STRATA, each worker has one group and the loop is that
// of the original: strata as a textbook has them. Without it, rows are prefetched, large models have smaller
// blocks, and the dot product adds in another order than the original (blocked_dot.hpp).

#pragma once

#include "../huge_pages.hpp"
#include "blocked_dot.hpp"
#include "program.hpp"

#ifdef CONTIGUOUS_STRATA
constexpr bool is_strong = false;
#else
constexpr bool is_strong = true;
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

/// All rows in one group, with their old ids.
inline Grouping one_group(int64_t rows) {
  Grouping grouping{std::vector<Place>(rows), std::vector<int>(rows), {0, static_cast<int>(rows)}};
  for (int row = 0; row < rows; ++row) {
    grouping.place[row] = {row, 0};
    grouping.old_id[row] = row;
  }
  return grouping;
}

/// Deals the rows out like cards, most used first, and turns at each end, so that groups differ little in
/// use. The most used rows of a group come first and share pages. One group keeps its old ids, since sorting
/// ratings and rows costs more than it saves.
inline Grouping group_rows(const std::vector<Rating>& ratings, int Rating::* id, int64_t rows, int groups) {
  if (groups == 1) return one_group(rows);
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

/// The number of groups on each side: one a worker, or about 32 for models beyond a core's caches. Tried: 1,
/// 4, 8, 16, 32 and 64. Up to 5 MB the number made no difference; with 20 MB, 32 groups take 0.6 of the time
/// of one.
inline int num_groups(int workers, int64_t model_bytes) {
  if (!is_strong || model_bytes <= (8 << 20)) return workers;
  return (32 + workers - 1) / workers * workers;
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

template <int K> [[gnu::always_inline]] inline void prefetch_row(const Factor<K>* row) {
  for (size_t i = 0; i < sizeof *row; i += 64)
    __builtin_prefetch(reinterpret_cast<const char*>(row) + i, /*for writing*/ 1);
}

/// The step for one rating. Returns its squared error. Four steps side by side, for ratings that share no
/// row, were tried: they help the original's dot product at K = 64 and 128, and the blocked one at no K.
template <int K>
[[gnu::always_inline]] inline double step(const Rating& r, Factor<K>* P, Factor<K>* Q, float rate,
                                          float reg) {
  Factor<K>&p = P[r.user], &q = Q[r.item];
  const float e = r.value - (is_strong ? blocked_dot<K>(p, q) : dot(p, q));
  move<K>(p, q, e, rate, reg);
  return e * e;
}

/// Runs one block in file order. Returns its summed squared error.
template <int K>
[[gnu::noinline]] double run_block(const Rating* first, const Rating* last, Factor<K>* P, Factor<K>* Q,
                                   float rate, float reg) {
  constexpr int lookahead = 8;  // the distance of a prefetch, in ratings
  const Rating* r = first;
  double loss = 0;
  if constexpr (is_strong) {
    for (const Rating* const end = last - std::min<ptrdiff_t>(last - first, lookahead); r != end; ++r) {
      prefetch_row<K>(P + r[lookahead].user);
      prefetch_row<K>(Q + r[lookahead].item);
      loss += step<K>(*r, P, Q, rate, reg);
    }
  }
  for (; r != last; ++r) loss += step<K>(*r, P, Q, rate, reg);
  return loss;
}

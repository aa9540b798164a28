// One worker's part: a range of users with the rows of their ratings, a range of items with the columns of
// theirs.
//
// Ranges are contiguous and of about equal work. The ratings lie row after row in one array. The numbers of a
// factor lie together, because a pass goes through the factors one by one. Other parts read only the terms of
// the current factor.
//
// With -DEQUAL_RANGES, ranges have equally many ids, as a static schedule gives them, and memory is ordinary.
// The solution of a row is the original's, which adds even and odd entries apart. Tried: terms in three
// arrays and gathers by whole registers take 1.2 times as long an entry, four sums in place of two 1.8 times
// (AMD EPYC, Zen 5).

#pragma once

#include <numeric>
#include <span>

#include "../huge_pages.hpp"
#include "program.hpp"

#ifdef EQUAL_RANGES
constexpr bool is_strong = false;
template <class T> using part_vector = std::vector<T>;
#else
constexpr bool is_strong = true;
template <class T> using part_vector = huge_vector<T>;
#endif

/// Ids [first, last).
struct Range {
  int64_t first;
  int64_t last;

  int64_t size() const { return last - first; }
  bool contains(int64_t id) const { return first <= id && id < last; }
};

/// Cuts the ids of one side into ranges of about equal work. An entry counts one, a row as many as it costs.
/// The usual rival counts rows alone.
inline std::vector<Range> cut(const std::vector<Rating>& ratings, int Rating::* id, int64_t num_ids,
                              int parts) {
  constexpr int64_t row_cost = 8;
  std::vector<int64_t> work(num_ids, row_cost);
  if (is_strong) {
    for (const Rating& r : ratings) ++work[r.*id];
  }
  const int64_t total = std::accumulate(work.begin(), work.end(), int64_t{0});
  std::vector<Range> ranges;
  int64_t next = 0, done = 0;
  for (int part = 1; part <= parts; ++part) {
    const int64_t first = next;
    while (next < num_ids && (done + work[next] / 2) * parts < total * part) done += work[next++];
    ranges.push_back({first, next});
  }
  ranges.back().last = num_ids;
  return ranges;
}

/// The ratings of a range of rows, in file order within each: row i holds entries [begin[i], begin[i + 1]).
class Rows {
 public:
  Rows(const std::vector<Rating>& ratings, int Rating::* id, int Rating::* other, Range range)
      : begin_(range.size() + 1, 0) {
    for (const Rating& r : ratings) {
      if (range.contains(r.*id)) ++begin_[r.*id - range.first + 1];
    }
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    entries_.resize(begin_.back());
    std::vector<size_t> next(begin_.begin(), begin_.end() - 1);
    for (const Rating& r : ratings) {
      if (range.contains(r.*id)) entries_[next[r.*id - range.first]++] = {r.*other, r.value};
    }
  }

  size_t size() const { return begin_.size() - 1; }
  std::span<Entry> operator[](size_t i) { return {&entries_[begin_[i]], &entries_[begin_[i + 1]]}; }
  std::span<const Entry> operator[](size_t i) const {
    return {&entries_[begin_[i]], &entries_[begin_[i + 1]]};
  }

 private:
  std::vector<size_t> begin_;
  part_vector<Entry> entries_;
};

/// u and v are the terms of all users and items. A part writes those of its own ranges.
template <int K> class Part {
 public:
  Part(const std::vector<Rating>& ratings, Range users, Range items, uint64_t seed)
      : users_(users),
        items_(items),
        rows_(ratings, &Rating::user, &Rating::item, users),
        columns_(ratings, &Rating::item, &Rating::user, items),
        P_(users.size()),
        Q_(items.size()) {
    std::fill(P_.begin(), P_.end(), Factor<K>{});
    for (int64_t j = 0; j < items.size(); ++j) initialize_row(Q_[j], seed, items.first + j);
  }

  void begin(Term* v) {
    for (int64_t j = 0; j < items_.size(); ++j) advance(v[items_.first + j], Q_[j][0]);
  }

  void solve_users(int k, bool first, float reg, Term* u, const Term* v) {
    u += users_.first;
    for (int64_t i = 0; i < users_.size(); ++i) {
      if (first) advance(u[i], P_[i][k]);
      std::span<Entry> row = rows_[i];
      P_[i][k] = u[i].now = solve(row, v, u[i], first, reg);
    }
  }

  void solve_items(int k, bool first, bool last, float reg, const Term* u, Term* v) {
    v += items_.first;
    for (int64_t j = 0; j < items_.size(); ++j) {
      std::span<Entry> column = columns_[j];
      Q_[j][k] = v[j].now = solve(column, u, v[j], first, reg);
      if (last) advance(v[j], Q_[j][(k + 1) % K]);
    }
  }

  double train_error(const Term* u, const Term* v) const { return training_loss(rows_, u + users_.first, v); }

  /// The error of the test ratings of this part's users. Q has the rows of all items.
  double test_error(const std::vector<Rating>& test, const std::vector<Factor<K>>& Q) const {
    double loss = 0;
    for (const Rating& r : test) {
      if (!users_.contains(r.user)) continue;
      const float error = r.value - dot(P_[r.user - users_.first], Q[r.item]);
      loss += error * error;
    }
    return loss;
  }

  const part_vector<Factor<K>>& P() const { return P_; }
  const part_vector<Factor<K>>& Q() const { return Q_; }

 private:
  Range users_, items_;
  Rows rows_, columns_;
  part_vector<Factor<K>> P_, Q_;
};

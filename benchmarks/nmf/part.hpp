// The work of one worker of the rivals by hand: its range of the rows of a factor, sixteen rows at a time.
//
// The sums over the entries of a row take K numbers by two registers. The coordinate descent, in which a
// number depends on the one before, has a row in each SIMD lane.

#pragma once

#include <span>

#include "../simd.hpp"
#include "program.hpp"

constexpr int group = 16;  // rows
static_assert(K % 16 == 0);

/// The first row of each worker, and the end, if all have about equal numbers of entries.
inline std::vector<int64_t> cut(const std::vector<Row>& rows, int workers) {
  constexpr int64_t row_cost = 16;  // entries
  int64_t all = 0, done = 0;
  for (const Row& row : rows) all += row.size() + row_cost;
  std::vector<int64_t> cuts{0};
  for (size_t i = 0; i < rows.size(); ++i) {
    if (done * workers >= all * static_cast<int64_t>(cuts.size())) cuts.push_back(i);
    done += rows[i].size() + row_cost;
  }
  cuts.resize(workers + 1, rows.size());
  return cuts;
}

/// The entries of a range of rows, one after another.
struct Part {
  int64_t first, last;
  std::vector<int64_t> begin{0};
  std::vector<Entry> entries;

  Part(const std::vector<Row>& rows, int64_t first, int64_t last) : first(first), last(last) {
    for (int64_t i = first; i < last; ++i) {
      entries.insert(entries.end(), rows[i].begin(), rows[i].end());
      begin.push_back(entries.size());
    }
  }

  std::span<const Factor> rows_of(const std::vector<Factor>& W) const {
    return {W.data() + first, W.data() + last};
  }
};

inline void add(Square& sum, const Square& more) {
  for (int k = 0; k < K; ++k) {
    for (int l = 0; l < K; ++l) sum[k][l] += more[k][l];
  }
}

/// The sums over the entries [first, last) of their values times the rows of H.
inline Factor find_target(const Entry* first, const Entry* last, const auto& H) {
  lanes<16> sums[K / 16] = {};
  for (; first < last; ++first) {
    for (int r = 0; r < K / 16; ++r) sums[r] += first->value * load<16>(H[first->index].data() + 16 * r);
  }
  Factor target;
  for (int r = 0; r < K / 16; ++r) store<16>(target.data() + 16 * r, sums[r]);
  return target;
}

/// The numbers of sixteen rows, each row in a SIMD lane.
using Columns = float[K][group];

/// Solves for sixteen rows: `HH` has the products of H.
inline void solve_columns(const Columns& targets, Columns& numbers, const Square& HH) {
  lanes<16> w[K];
  for (int k = 0; k < K; ++k) w[k] = load<16>(numbers[k]);
  for (int k = 0; k < K; ++k) {
    lanes<16> even = HH[k][0] * w[0], odd = HH[k][1] * w[1];
    for (int l = 2; l < K; l += 2) {
      even += HH[k][l] * w[l];
      odd += HH[k][l + 1] * w[l + 1];
    }
    const lanes<16> next = w[k] + (load<16>(targets[k]) - (even + odd)) / (HH[k][k] + 1e-9f);
    w[k] = next > 0 ? next : lanes<16>{};
    store<16>(numbers[k], w[k]);
  }
}

/// Solves for the part's rows of W.
inline void solve_rows(const Part& part, std::vector<Factor>& W, const std::vector<Factor>& H,
                       const Square& HH) {
  for (int64_t first = part.first; first < part.last; first += group) {
    const int64_t size = std::min<int64_t>(group, part.last - first);
    alignas(64) Columns targets = {}, numbers = {};
    for (int64_t i = 0; i < size; ++i) {
      const Entry* const entries = part.entries.data();
      const int64_t* const begin = &part.begin[first + i - part.first];
      const Factor target = find_target(entries + begin[0], entries + begin[1], H);
      for (int k = 0; k < K; ++k) {
        targets[k][i] = target[k];
        numbers[k][i] = W[first + i][k];
      }
    }
    solve_columns(targets, numbers, HH);
    for (int64_t i = 0; i < size; ++i) {
      for (int k = 0; k < K; ++k) W[first + i][k] = numbers[k][i];
    }
  }
}

// Accesses under conditions on data that the loop writes. An earlier access looks alike, but touches other
// elements, or not in each iteration.
#include <cstdint>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::async_for;
using stradsap::dvector;

struct compressed {
  std::vector<int64_t> first;
  std::vector<int> index, other;
  std::vector<std::vector<int>> rows;
  std::vector<std::pair<int, int>> pairs;
};

void longer(int64_t n, const compressed& x, dvector<int>& w) {
  async_for(n, [&](int64_t j) {
    int z = 0;
    for (int64_t p = x.first[j]; p < x.first[j + 1]; ++p) z += w[x.index[p]];
    if (z < 1)
      for (int64_t p = x.first[j]; p <= x.first[j + 1]; ++p)
        w[x.index[p]] += 1;  // expected-remark: depends on data in `w`, which this loop writes
  });
}

void another_row(int64_t n, const compressed& x, dvector<int>& w) {
  async_for(n, [&](int64_t j) {
    int z = 0;
    for (int64_t p = x.first[j]; p < x.first[j + 1]; ++p) z += w[x.index[p]];
    if (z < 1)
      for (int64_t p = x.first[j]; p < x.first[j + 2]; ++p)
        w[x.index[p]] += 1;  // expected-remark: depends on data in `w`, which this loop writes
  });
}

void another_index(int64_t n, const compressed& x, dvector<int>& w) {
  async_for(n, [&](int64_t j) {
    int z = 0;
    for (int64_t p = x.first[j]; p < x.first[j + 1]; ++p) z += w[x.index[p]];
    if (z < 1)
      for (int64_t p = x.first[j]; p < x.first[j + 1]; ++p)
        w[x.other[p]] += 1;  // expected-remark: depends on data in `w`, which this loop writes
  });
}

void left_early(int64_t n, const compressed& x, dvector<int>& w) {
  async_for(n, [&](int64_t j) {
    int z = 0;
    for (int64_t p = x.first[j]; p < x.first[j + 1]; ++p) {
      z += w[x.index[p]];
      if (x.other[p] > 3) break;
    }
    if (z < 1)
      for (int64_t p = x.first[j]; p < x.first[j + 1]; ++p)
        w[x.index[p]] += 1;  // expected-remark: depends on data in `w`, which this loop writes
  });
}

void not_each_round(int64_t n, const compressed& x, dvector<int>& w) {
  async_for(n, [&](int64_t j) {
    int z = 0;
    for (int64_t p = x.first[j]; p < x.first[j + 1]; ++p)
      if (x.other[p] > 3) z += w[x.index[p]];
    if (z < 1)
      for (int64_t p = x.first[j]; p < x.first[j + 1]; ++p)
        w[x.index[p]] += 1;  // expected-remark: depends on data in `w`, which this loop writes
  });
}

void perhaps_no_round(int64_t n, const compressed& x, dvector<int>& w, int times) {
  async_for(n, [&](int64_t j) {
    int z = w[0];
    for (int t = 0; t < times; ++t) z += w[x.index[j]];
    if (z < 1) w[x.index[j]] += 1;  // expected-remark: depends on data in `w`, which this loop writes
  });
}

void other_branch(int64_t n, const compressed& x, dvector<int>& w) {
  async_for(n, [&](int64_t j) {
    int z = w[0];
    if (x.other[j] > 3)
      z += w[x.index[j]];
    else if (z < 1)
      w[x.index[j]] += 1;  // expected-remark: depends on data in `w`, which this loop writes
  });
}

void returned_between(int64_t n, const compressed& x, dvector<int>& w) {
  async_for(n, [&](int64_t j) {
    if (w[0] < 1) w[x.index[j]] += 1;  // expected-remark: depends on data in `w`, which this loop writes
    if (x.other[j] > 3) return;
    w[0] += w[x.index[j]];
  });
}

void moved_between(int64_t n, const compressed& x, dvector<int>& w) {
  async_for(n, [&](int64_t j) {
    int at = x.other[j];
    const int z = w[x.index[at]];
    at = x.other[j + 1];
    if (z < 1) w[x.index[at]] += 1;  // expected-remark: depends on data in `w`, which this loop writes
  });
}

static int sum(const std::vector<int>& index, const dvector<int>& w, int64_t j) { return w[index[j]]; }

void another_argument(int64_t n, const compressed& x, dvector<int>& w) {
  async_for(n, [&](int64_t j) {
    if (sum(x.other, w, j) < 1)
      w[x.index[j]] += 1;  // expected-remark: depends on data in `w`, which this loop writes
  });
}

void another_container(int64_t n, const compressed& x, dvector<int>& w, dvector<int>& v) {
  async_for(n, [&](int64_t j) {
    if (sum(x.index, v, j) < 1)
      w[x.index[j]] += 1;  // expected-remark: depends on data in `v`, which this loop writes
    v[x.index[j]] += 1;
  });
}

void narrowed(int64_t n, const compressed& x, dvector<int>& w) {
  async_for(n, [&](int64_t j) {
    const int z = w[static_cast<uint8_t>(x.index[j])];
    if (z < 1) w[x.index[j]] += 1;  // expected-remark: depends on data in `w`, which this loop writes
  });
}

static void until_done(const compressed& x, int64_t j, dvector<int>& w) {
  int z = w[x.index[j]];
  while (z < 1) {
    w[x.index[j]] += 1;  // expected-remark: depends on data in `w`, which this loop writes
    z += w[x.index[j]];  // expected-remark: depends on data in `w`, which this loop writes
  }
}

/// The inspector would call the function from another state of `w`.
void perhaps_for_ever(int64_t n, const compressed& x, dvector<int>& w) {
  async_for(n, [&](int64_t j) { until_done(x, j, w); });
}

void ranged(int64_t n, const compressed& x, dvector<int>& w) {
  async_for(n, [&](int64_t j) {
    for (int at : x.rows[j]) {
      const int z = w[x.index[at]];
      at = x.other[at];
      if (z < 1) w[x.index[at]] += 1;  // expected-remark: depends on data in `w`, which this loop writes
    }
  });
}

void narrowed_range(int64_t n, const compressed& x, dvector<int>& w) {
  async_for(n, [&](int64_t j) {
    int z = w[0];
    for (const uint8_t at : x.rows[j]) z += w[x.index[at]];
    if (z < 1)
      for (const int at : x.rows[j]) w[x.index[at]] += 1;  // expected-remark: depends on data in `w`, which this loop writes
  });
}

void binding(int64_t n, const compressed& x, dvector<int>& w) {
  async_for(n, [&](int64_t j) {
    auto [a, b] = x.pairs[j];
    const int z = w[x.index[a]];
    a = b;
    if (z < 1) w[x.index[a]] += 1;  // expected-remark: depends on data in `w`, which this loop writes
  });
}

void diagonal(int64_t n, const compressed& x, dvector<int>& w, int m) {
  async_for(n, [&](int64_t j) {
    int z = w[0];
    for (int k = 0; k < m; ++k) z += w[x.index[j] + k * m + k];
    if (z < 1)
      for (int p = 0; p < m; ++p)
        for (int q = 0; q < m; ++q)
          w[x.index[j] + p * m + q] += 1;  // expected-remark: depends on data in `w`, which this loop writes
  });
}

void other_case(int64_t n, const compressed& x, dvector<int>& w) {
  async_for(n, [&](int64_t j) {
    int z = w[0];
    switch (x.other[j]) {
      case 0:
        z += w[x.index[j]];
        break;
      case 1:
        if (z < 1) w[x.index[j]] += 1;  // expected-remark: depends on data in `w`, which this loop writes
    }
  });
}

void wrapped(int64_t n, const compressed& x, dvector<int>& w) {
  async_for(n, [&](int64_t j) {
    const auto a = static_cast<unsigned>(x.index[j]);
    const int z = w[(a * 2654435761u) % 4093];
    if (z < 1) w[x.other[(static_cast<uint64_t>(a) * 2654435761u) % 4093]] += 1;  // expected-remark: depends on data in `w`, which this loop writes
    w[x.other[(a * 2654435761u) % 4093]] += 0;
  });
}

void below_none(int64_t n, const compressed& x, dvector<int>& w, int lo) {
  async_for(n, [&](int64_t j) {
    int z = w[0];
    for (int k = lo; k < x.rows[j].size(); ++k) z += w[x.index[k + 1]];
    if (z < 1)
      for (int k = lo; k < static_cast<int64_t>(x.rows[j].size()); ++k)
        w[x.index[k + 1]] += 1;  // expected-remark: depends on data in `w`, which this loop writes
  });
}

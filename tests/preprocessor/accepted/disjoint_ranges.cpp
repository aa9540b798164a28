// Iterations that write ranges of elements, one behind the other: rows of a sparse matrix, blocks of an array. The
// ranges have any length, none, or gaps between them. No two iterations conflict, so each loop's result is that of the
// sequential program.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <span>

#include <stradsap/stradsap.hpp>

using stradsap::dvector;
namespace consistency = stradsap::consistency;

constexpr long num_rows = 3000;
constexpr int width = 6;

static unsigned draw(unsigned& state) {
  state = state * 1664525u + 1013904223u;
  return state >> 16;
}

template <class T> static void print(const char* name, const dvector<T>& x) {
  double all = 0;
  for (std::size_t i = 0; i < x.size(); ++i) all += static_cast<double>(x[i]) * static_cast<double>(i % 97 + 1);
  std::printf("%s %.17g\n", name, all);
}

/// Each row of a sparse matrix becomes a distribution.
static void normalize(const dvector<long>& indptr, dvector<double>& value) {
  stradsap::parallel_for(num_rows, [&](long i) {
    double sum = 0;
    for (long p = indptr[i]; p < indptr[i + 1]; ++p) {
      value[p] = value[p] * value[p] + 1;
      sum += value[p];
    }
    for (long p = indptr[i]; p < indptr[i + 1]; ++p) value[p] /= sum;
  }, consistency::async);
}

/// Rows in three containers of different proportions, with a sum at the loop's index.
static void fill_rows(const dvector<long>& begin, const dvector<long>& end, dvector<int>& index,
                      dvector<double>& value, dvector<float>& matrix, dvector<double>& total) {
  stradsap::parallel_for(num_rows, [&](long i) {
    double sum = 0;
    for (long p = begin[i]; p < end[i]; ++p) {
      index[p] = index[p] * 5 % 1009;
      value[2 * p] = index[p];
      value[2 * p + 1] = index[p] + value[2 * p] / 8;
      sum += value[2 * p + 1];
    }
    float* const row = &matrix[i * width];
    for (int k = 0; k < width; ++k) row[k] += static_cast<float>(k) * 0.5f;
    total[i] = sum;
  }, consistency::async);
}

/// The blocked loop of programs for OpenMP and MPI.
static void blocked(long n, long block, const dvector<float>& x, dvector<float>& d) {
  stradsap::parallel_for((n + block - 1) / block, [&](long b) {
    for (long i = b * block; i < std::min(n, (b + 1) * block); ++i) d[i] = x[i] * 3 + 1;
  }, consistency::async);
}

/// The same, with sums of other elements than those at the same place.
static void blocked_sums(long n, long block, const dvector<float>& x, dvector<float>& d) {
  stradsap::parallel_for((n + block - 1) / block, [&](long b) {
    float before = 0;
    for (long i = b * block; i < std::min(n, (b + 1) * block); ++i) {
      before += x[n - 1 - i] + x[i / 2];
      d[i] += before * 0.25f;
    }
  }, consistency::async);
}

/// Sorts each row through a span.
static void sort_rows(const dvector<long>& indptr, dvector<double>& value) {
  stradsap::parallel_for(num_rows, [&](long i) {
    const auto row = value.span(indptr[i], indptr[i + 1] - indptr[i]);
    std::sort(row.begin(), row.end());
  }, consistency::async);
}

/// Few long ranges.
static void waves_of(const dvector<long>& first, dvector<double>& d) {
  stradsap::parallel_for(static_cast<long>(first.size()) - 1, [&](long c) {
    for (long p = first[c]; p < first[c + 1]; ++p) d[p] += static_cast<double>(p % 89) * 0.125;
  }, consistency::async);
}

/// A single row, which has no elements, in a vector and in a map.
static void empty_row(double scale, const dvector<long>& indptr, dvector<double>& value,
                      stradsap::dmap<long, double>& entries) {
  stradsap::parallel_for(1, [scale, &indptr, &value](long i) {
    for (long p = indptr[i]; p < indptr[i]; ++p) value[p] = value[p] * 0.5 + scale;
  }, consistency::async);
  stradsap::parallel_for(1, [scale, &indptr, &entries](long i) {
    for (long p = indptr[i]; p < indptr[i]; ++p) entries[p] = entries[p] * 0.5 + scale;
  }, consistency::async);
}

int main() {
  unsigned state = 1;
  dvector<long> indptr(num_rows + 1), begin(num_rows), end(num_rows);
  long at = 3;
  for (long i = 0; i < num_rows; ++i) {
    const long length = draw(state) % 5 == 0 ? 0 : i == num_rows / 3 ? 4000 : static_cast<long>(draw(state) % 12);
    indptr[i + 1] = indptr[i] + length;
    begin[i] = at;
    end[i] = at + length;
    at += length + draw(state) % 3;
  }
  dvector<double> value(indptr[num_rows]);
  for (std::size_t p = 0; p < value.size(); ++p) value[p] = static_cast<double>(p % 17);
  dvector<int> index(at + 5);
  dvector<double> pairs(2 * at + 10), total(num_rows);
  dvector<float> matrix(num_rows * width);
  stradsap::parallel_for(index.size(), [&](long p) { index[p] = static_cast<int>(p % 1009); }, consistency::async);

  const long n = 70000;
  dvector<float> x(n), d(n);
  for (long i = 0; i < n; ++i) x[i] = static_cast<float>(i % 29);
  dvector<long> first(9);
  for (long c = 0; c < 8; ++c) first[c + 1] = first[c] + (c == 2 ? 60000 : c * 1000);
  dvector<double> tones(first[8]);
  stradsap::dmap<long, double> entries;

  for (int pass = 0; pass < 3; ++pass) {
    normalize(indptr, value);
    fill_rows(begin, end, index, pairs, matrix, total);
    blocked(n, 7000, x, d);
    blocked_sums(n, 900 + 100 * pass, x, d);
    sort_rows(indptr, value);
    waves_of(first, tones);
    empty_row(2, indptr, value, entries);
  }
  print("value", value);
  print("index", index);
  print("pairs", pairs);
  print("matrix", matrix);
  print("total", total);
  print("blocked", d);
  print("tones", tones);
}

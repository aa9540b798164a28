// Data that real files have: empty rows, repeated, negative and too large indices, row bounds that fall, a
// mini-batch beyond the end, one cluster, one heavy sample, a data set that ends before the next. argv[1]
// chooses. Without stradsap-cc it is the sequential program, which prints the same. -DMODEL=async: the loops
// in program order promise no order.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <stradsap/stradsap.hpp>

#ifndef MODEL
#define MODEL ordered
#endif

using stradsap::dvector;

struct sparse {
  dvector<int64_t> begin;
  dvector<int> index;
  dvector<float> value;
  int64_t rows() const { return static_cast<int64_t>(begin.size()) - 1; }
};

/// Rows of 0 to 6 entries; every third is empty. Some columns come twice in a row.
static sparse make_data(int64_t n, int columns) {
  sparse X;
  X.begin.push_back(0);
  for (int64_t i = 0; i < n; ++i) {
    const int64_t entries = i % 3 == 0 ? 0 : i % 7;
    for (int64_t k = 0; k < entries; ++k) {
      X.index.push_back(static_cast<int>((i * 31 + k / 2 * 17) % columns));
      X.value.push_back(0.25f * static_cast<float>(1 + k));
    }
    X.begin.push_back(static_cast<int64_t>(X.index.size()));
  }
  return X;
}

static void print(const char* name, const dvector<float>& w) {
  double sum = 0;
  for (size_t k = 0; k < w.size(); ++k) sum += static_cast<double>(w[k]) * static_cast<double>(k + 1);
  std::printf("%s %.6f\n", name, sum);
}

static void descend(const sparse& X, dvector<float>& w) {
  stradsap::parallel_for(  // descend
      X.rows(),
      [&X, &w](int64_t i) {
        float product = 0;
        for (int64_t p = X.begin[i]; p < X.begin[i + 1]; ++p) product += X.value[p] * w[X.index[p]];
        for (int64_t p = X.begin[i]; p < X.begin[i + 1]; ++p) w[X.index[p]] += 0.125f * (1 - product);
      },
      stradsap::consistency::MODEL);
}

static void empty_rows() {
  const sparse X = make_data(4000, 97);
  dvector<float> w(97);
  for (int pass = 0; pass < 3; ++pass) descend(X, w);
  print("empty rows", w);
}

static void falling_bounds() {
  sparse X = make_data(4000, 97);
  X.begin[2001] = 0;  // row 2000 ends before it begins: no entries; row 2001 begins with the first entry
  dvector<float> w(97);
  descend(X, w);
  print("falling bounds", w);
}

static void index_out_of_range(int index) {
  sparse X = make_data(4000, 97);
  X.index[X.begin[3001]] = index;
  dvector<float> w(97);
  descend(X, w);
  print("not reached", w);
}

static void bounds_out_of_range() {
  sparse X = make_data(4000, 97);
  X.begin[4000] += 5;
  dvector<float> w(97);
  descend(X, w);
  print("not reached", w);
}

/// The last batch is shorter; a program that forgets it reaches beyond the end.
static void windows(int64_t n) {
  dvector<float> x(1000, 1.0f), sums(4);
  for (int64_t first = 0; first < n; first += 64) {
    stradsap::parallel_for(  // window
        64, [&x, &sums, first](int64_t j) { sums[j % 4] += x[first + j]; }, stradsap::consistency::async);
  }
  print("windows", sums);
}

/// Rows through pointers; one of them may leave the container.
static void written_rows(int64_t at) {
  const int dim = 4;
  dvector<float> w(400, 1.0f), first(4000);
  std::vector<int64_t> begin(4000);
  for (int64_t i = 0; i < 4000; ++i) begin[i] = i * 7 % 100 * dim;
  begin[3001] = at;
  stradsap::parallel_for(  // written row
      4000,
      [&](int64_t i) {
        float* row = &w[begin[i]];
        for (int k = 0; k < dim; ++k) row[k] = row[k] * 0.5f + static_cast<float>(i % 5 + k);
        first[i] = row[0];
      },
      stradsap::consistency::MODEL);
  print("rows", w);
  print("rows", first);
}

static float sum_of(const float* row, int n) {
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += row[k];
  return sum;
}

static void read_rows(int64_t at, int64_t rounds) {
  dvector<float> x(1000, 0.5f), sums(900);
  std::vector<int64_t> begin(900);
  for (int64_t i = 0; i < 900; ++i) begin[i] = i;
  begin[700] = at;
  stradsap::parallel_for(  // read row
      900,
      [&](int64_t i) {
        const float* row = &x[begin[i]];
        for (int64_t r = 0; r < rounds; ++r) sums[i] += sum_of(row, 8);
      },
      stradsap::consistency::async);
  print("rows", sums);
}

/// Windows of 8 numbers that end with the container: none of the pointers goes beyond it.
static void guarded_windows() {
  const int64_t n = 1000;
  dvector<float> x(n), sums(n);
  std::vector<int> length(n, 8);
  for (int64_t i = 0; i < n; ++i) x[i] = static_cast<float>(i % 11);
  for (int64_t i = n - 8; i < n; ++i) length[i] = static_cast<int>(n - i);
  for (int pass = 0; pass < 2; ++pass) {
    stradsap::parallel_for(
        n,
        [&](int64_t i) {
          const float* a = &x[i];
          for (int k = 0; k < 8; ++k) {
            if (i + k < n) sums[i] += a[k];
          }
          const float* b = &x[i];
          for (int k = 0; k < 8; ++k) {
            if (i + k >= n) break;
            sums[i] += b[k];
          }
          const float* c = &x[i];
          for (int k = 0; k < length[i]; ++k) sums[i] += c[k];
          const float* d = i + 8 <= n ? &x[i] : &x[0];
          sums[i] += sum_of(d, 8);
          const float* e = &x[i];
          for (int r = 8; i + r <= n && r < 9; ++r) sums[i] += sum_of(e, r);
          const float* f = &x[i];
          if (i + 8 > n) return;
          for (int k = 0; k < 8; ++k) sums[i] += f[k];
        },
        stradsap::consistency::async);
    stradsap::parallel_for(
        n,
        [&](int64_t i) {
          float* a = &x[i];
          for (int k = 0; k < 8; ++k) {
            if (i + k < n) a[k] = a[k] * 0.5f + static_cast<float>(i % 3);
          }
        },
        stradsap::consistency::MODEL);
  }
  print("guarded windows", sums);
  print("guarded windows", x);
}

static void one_cluster() {
  const int dim = 8, centers = 5;
  dvector<float> x(3000 * dim, 0.5f), center(centers * dim), sums(centers * dim);
  dvector<int64_t> counts(centers);
  for (int k = 0; k < dim; ++k) center[2 * dim + k] = 0.5f;
  stradsap::parallel_for(
      3000,
      [&](int64_t i) {
        int best = 0;
        float least = 1e30f;
        for (int c = 0; c < centers; ++c) {
          float distance = 0;
          for (int k = 0; k < dim; ++k) {
            const float d = x[i * dim + k] - center[c * dim + k];
            distance += d * d;
          }
          if (distance < least) least = distance, best = c;
        }
        counts[best] += 1;
        for (int k = 0; k < dim; ++k) sums[best * dim + k] += x[i * dim + k];
      },
      stradsap::consistency::async);
  print("one cluster", sums);
  std::printf("%ld of 3000\n", static_cast<long>(counts[2]));
}

/// One sample costs as much as all others.
static void one_heavy() {
  dvector<float> x(1000), out(1000);
  for (int pass = 0; pass < 3; ++pass) {
    stradsap::parallel_for(
        1000,
        [&x, &out](int64_t i) {
          const int rounds = i == 17 ? 1000000 : 1000;
          float value = x[i];
          for (int r = 0; r < rounds; ++r) value = 0.5f * value + 1;
          out[i] = value;
        },
        stradsap::consistency::async);
  }
  print("one heavy", out);
}

/// Each pass has a data set of its own, which ends with the pass.
static void data_of_a_pass() {
  dvector<float> w(97);
  for (int pass = 0; pass < 4; ++pass) {
    const auto X = std::make_unique<sparse>(make_data(500 + 100 * pass, 97));
    descend(*X, w);
  }
  print("data of a pass", w);
}

/// More executors than iterations.
static void few_iterations() {
  dvector<float> w(3);
  for (int pass = 0; pass < 5; ++pass) {
    for (int64_t n = 0; n < 4; ++n) {
      stradsap::parallel_for(
          n, [&w, pass](int64_t i) { w[(i + pass) % 3] += static_cast<float>(i + 1); },
          stradsap::consistency::async);
    }
  }
  print("few iterations", w);
}

int main(int, char** argv) {
  const std::string kind = argv[1];
  if (kind == "empty rows") empty_rows();
  if (kind == "falling bounds") falling_bounds();
  if (kind == "index 97") index_out_of_range(97);
  if (kind == "index -1") index_out_of_range(-1);
  if (kind == "bounds") bounds_out_of_range();
  if (kind == "windows") windows(960);
  if (kind == "window beyond") windows(1000);
  if (kind == "rows") written_rows(396), read_rows(992, 2), read_rows(996, 0);
  if (kind == "row 100") written_rows(400);
  if (kind == "row -1") written_rows(-4);
  if (kind == "cut row") written_rows(397);
  if (kind == "cut row that is read") read_rows(996, 1);
  if (kind == "guarded windows") guarded_windows();
  if (kind == "one cluster") one_cluster();
  if (kind == "one heavy") one_heavy();
  if (kind == "data of a pass") data_of_a_pass();
  if (kind == "few iterations") few_iterations();
}

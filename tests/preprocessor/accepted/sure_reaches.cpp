// Pointers to the last elements of a container. Elements that a pointer surely reaches must exist. Elements that it
// reaches in some executions may lie beyond the end. In any order of iterations, each loop's result is that of the
// sequential program.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <vector>

#include <stradsap/stradsap.hpp>

using namespace stradsap;

static double sum(const double* x, int n) {
  double all = 0;
  for (int k = 0; k < n; ++k) all += x[k];
  return all;
}
static double sum_within(const double* x, int n, bool is_there) {
  if (!is_there) return 0;
  return sum(x, n);
}
static const double* pick(const double* a, const double* b, bool first) { return first ? a : b; }
static const double* moved(const double* a, int by) { return a + by; }
static const double* at(const dvector<double>& x, int64_t i) { return &x[i]; }
static const double* row(const dvector<double>& x, int64_t i, int width) { return &x[i * width]; }
static const double* guarded(const dvector<double>& x, int64_t i) {
  const double* made = &x[i];
  if (i + 8 > 100) return &x[0];
  return made;
}

struct lists {
  std::vector<int> length = std::vector<int>(100);
  bool has(int64_t i, int k) const { return k < length[i]; }
};

static void print(const char* name, const dvector<double>& y) {
  double all = 0;
  for (std::size_t i = 0; i < y.size(); ++i) all += y[i] * static_cast<double>(i + 1);
  std::printf("%s %.6f\n", name, all);
}

/// Surely reached: rows, a last row, a loop without rounds, known functions, helpers.
static void whole_rows([[maybe_unused]] const dvector<double>& x, [[maybe_unused]] const dvector<double>& rows,
                 [[maybe_unused]] const lists& in, dvector<double>& y) {
  [[maybe_unused]] const int64_t n = 100;
  [[maybe_unused]] const int K = 8;
  async_for(n, [&](int64_t i) {
    const double* a = &rows[i * K];
    for (int k = 0; k < K; ++k) y[i] += a[k];
    const double* b = &rows[i * K + K - 1];
    for (int k = 0; k < K; ++k) y[i] += b[-k];
    const double* c = &x[i];
    for (int k = 0; k < in.length[i]; ++k) y[i] += c[k];
    y[i] += sum(&rows[i * K], K) + sum(&x[i], 1);
    double copy[8];
    std::memcpy(copy, &rows[i * K], 8 * sizeof(double));
    y[i] += copy[7];
    const double* d = row(rows, i, K);
    for (int r = 0; r < 2; ++r) {
      for (int k = 0; k < K / 2; ++k) y[i] += d[r * 4 + k];
    }
    for (int k = K - 1; k >= 0; --k) y[i] += d[k];
  });
  print("sure", y);
}

/// Loops around the access that have no rounds.
static void loops_without_rounds([[maybe_unused]] const dvector<double>& x, [[maybe_unused]] const dvector<double>& rows,
                 [[maybe_unused]] const lists& in, dvector<double>& y) {
  [[maybe_unused]] const int64_t n = 100;
  [[maybe_unused]] const int K = 8;
  const int none = static_cast<int>(y.size()) - 100;
  async_for(n, [&](int64_t i) {
    const double* a = &x[i];
    for (int r = 0; r < none; ++r) {
      for (int k = 0; k < 8; ++k) y[i] += a[k];
    }
    for (int k = 0; k < none; ++k) y[i] += sum(a, 8);
  });
  print("no rounds", y);
}

/// Conditions and jumps.
static void conditions([[maybe_unused]] const dvector<double>& x, [[maybe_unused]] const dvector<double>& rows,
                 [[maybe_unused]] const lists& in, dvector<double>& y) {
  [[maybe_unused]] const int64_t n = 100;
  [[maybe_unused]] const int K = 8;
  async_for(n, [&](int64_t i) {
    const double* a = &x[i];
    for (int k = 0; k < 8; ++k) {
      if (i + k < n) y[i] += a[k];
    }
    const double* b = &x[i];
    for (int k = 0; k < 8; ++k) {
      if (i + k >= n) break;
      y[i] += b[k];
    }
    const double* c = &x[i];
    for (int k = 0; k < 8; ++k) {
      if (i + k >= n) continue;
      y[i] += c[k];
    }
    const double* d = &x[i];
    for (int k = 0; k < 8 && in.has(i, k); ++k) y[i] += d[k];
    const double* e = &x[i];
    y[i] += i + 7 < n && e[7] > 3 ? e[7] : e[0];
    const double* f = &x[i];
    int k = 0;
    while (in.has(i, k)) {
      if (k >= 8) break;
      y[i] += f[k];
      ++k;
    }
    const double* g = &x[i];
    switch (n - i) {
      case 1:
      case 2:
        break;
      default:
        y[i] += g[2];
    }
    const double* h = &x[i];
    for (const int by : {0, 3}) {
      if (i + by < n) y[i] += h[by];
    }
    const double* last = &x[i];
    if (i + 8 > n) return;
    for (int j = 0; j < 8; ++j) y[i] += last[j];
  });
  print("conditions", y);
}

/// Other pointers, other values, helpers.
static void other_pointers([[maybe_unused]] const dvector<double>& x, [[maybe_unused]] const dvector<double>& rows,
                 [[maybe_unused]] const lists& in, dvector<double>& y) {
  [[maybe_unused]] const int64_t n = 100;
  [[maybe_unused]] const int K = 8;
  async_for(n, [&](int64_t i) {
    const double* a = &x[i];
    const double* first = &x[0];
    y[i] += sum(pick(a, first, i + 8 <= n), 8);
    const double* b = &x[i];
    if (i + 8 > n) b = &x[1];
    y[i] += sum(b, 8);
    y[i] += sum(i + 8 <= n ? &x[i] : &x[2], 8);
    y[i] += sum_within(&x[i], 8, i + 8 <= n);
    const double* c = at(x, i);
    y[i] += c[0];
    const double* d = at(x, i / 2);
    y[i] += sum(d, 8);
    const double* e = guarded(x, i);
    for (int k = 0; k < 8; ++k) y[i] += e[k];
    const double* f = moved(&x[i], i > 50 ? -8 : 0);
    y[i] += sum(f, 8);
    for (int r = 0; r < 4; ++r) {
      const double* g = &x[i];
      if (i + 8 > n) continue;
      for (int k = 0; k < 8; ++k) y[i] += g[k];
    }
    const auto later = [&](const double* from) {
      for (int k = 0; k < 8; ++k) y[i] += from[k];
    };
    const double* h = &x[i];
    if (i + 8 <= n) later(h);
    for (int k = 0; k < 8; k += 5) {
      const double* j = &x[std::max<int64_t>(i - 5, 0)];
      y[i] += j[k];
    }
    const double* z = &x[i];
    for (int k = 0; k < 2; ++k) y[i] += z[k * k - k];
  });
  print("other ways", y);
}

/// Exceptions.
static void exceptions([[maybe_unused]] const dvector<double>& x, [[maybe_unused]] const dvector<double>& rows,
                 [[maybe_unused]] const lists& in, dvector<double>& y) {
  [[maybe_unused]] const int64_t n = 100;
  [[maybe_unused]] const int K = 8;
  async_for(n, [&](int64_t i) {
    const double* a = &x[i];
    try {
      if (i + 8 > n) throw std::out_of_range("no window");
      for (int k = 0; k < 8; ++k) y[i] += a[k];
    } catch (const std::out_of_range&) {
      y[i] += 1;
    }
  });
  print("exceptions", y);
}

int main() {
  const int64_t n = 100;
  const int K = 8;
  dvector<double> x(n), y(n), rows(n * K);
  lists in;
  for (int64_t i = 0; i < n; ++i) {
    x[i] = static_cast<double>(i % 13);
    in.length[i] = static_cast<int>(std::min<int64_t>(8, n - i));
    for (int k = 0; k < K; ++k) rows[i * K + k] = static_cast<double>((i + k) % 7);
  }
  whole_rows(x, rows, in, y);
  loops_without_rounds(x, rows, in, y);
  conditions(x, rows, in, y);
  other_pointers(x, rows, in, y);
  exceptions(x, rows, in, y);
}

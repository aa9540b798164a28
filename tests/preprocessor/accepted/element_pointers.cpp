// Pointers to elements of flat matrices: rows, iterators, helpers, algorithms, memcpy, vector
// registers. In any order of iterations, each loop's result is that of the sequential program.
#include <stradsap/stradsap.hpp>

#include <immintrin.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <span>
#include <vector>

using namespace stradsap;

static int failures = 0;

static uint64_t hash_of(const dvector<int>& X) {
  uint64_t hash = 1469598103934665603ull;
  for (const int x : X) hash = (hash ^ static_cast<uint64_t>(x)) * 1099511628211ull;
  return hash;
}

static void axpy(int n, int a, const int* x, int* y) {
  for (int i = 0; i < n; ++i) y[i] += a * x[i];
}
static void scale(int* first, int* last, int a) {
  for (; first != last; ++first) *first *= a;
}
static int* row_of(dvector<int>& m, int64_t i, int d) { return &m[i * d]; }
static void add_rows(dvector<int>& m, int d, int64_t a, int64_t b) {
  int* x = &m[a * d];
  const int* y = &m[b * d];
  for (int k = 0; k != d; ++k) x[k] += y[k];
}
template <class T> static void add_one(T* x, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) x[i] += 1;
}
static void fill_row(int* p, int n, int v) {
  while (n-- > 0) *p++ += v;
}
static void add_from_behind(int* p, const int n, int v) {
  for (int i = n - 1; i >= 0; i--) p[i] += v;
}
#define ROW(m, i) (&(m)[(i) * dim])

struct config {
  int dim = 12;
  int rows = 50;
};

/// Two flat matrices, and which rows an iteration takes.
struct problem {
  static constexpr int64_t n = 6000;
  static constexpr int rows = 50;
  std::vector<int> pick = std::vector<int>(n), other = std::vector<int>(n), len = std::vector<int>(rows);
  dvector<int> m, q;

  explicit problem(int dim) : m(rows * dim), q(rows * dim) {
    for (int64_t j = 0; j < n; ++j) {
      pick[j] = static_cast<int>((j * 7919) % rows);
      other[j] = static_cast<int>((j * 104729 + 13) % rows);
    }
    for (int r = 0; r < rows; ++r) len[r] = r % dim;
    reset();
  }
  void reset() {
    for (std::size_t i = 0; i < m.size(); ++i) {
      m[i] = static_cast<int>(i % 17);
      q[i] = static_cast<int>(i % 13);
    }
  }
  void check(const char* what, uint64_t hash_of_m, uint64_t hash_of_q) {
    const bool same = hash_of(m) == hash_of_m && hash_of(q) == hash_of_q;
    std::printf("%s %s\n", what, same ? "ok" : "WRONG");
    failures += same ? 0 : 1;
    reset();
  }
};

static void known_width_1() {
  constexpr int dim = 12;
  constexpr int64_t n = problem::n;
  problem all(dim);
  const std::vector<int>&pick = all.pick, &other = all.other;
  dvector<int>&m = all.m, &q = all.q;
  const auto check = [&](const char* what, uint64_t a, uint64_t b) { all.check(what, a, b); };
  parallel_for(n, [dim, &pick, &m](int64_t j) {
    int* row = &m[pick[j] * dim];
    for (int k = 0; k < dim; ++k) row[k] += 1;
  }, consistency::async);
  check("plain row", 0x04573264b41ac62b, 0xc18ad31394cc95d0);
  parallel_for(n, [dim, &pick, &other, &m, &q](int64_t j) {
    axpy(dim, 1, &m[other[j] * dim], &q[pick[j] * dim]);
  }, consistency::async);
  check("axpy", 0x5aabdbaa162e3bab, 0xacb0494a95abe950);
  parallel_for(n, [dim, &pick, &m](int64_t j) {
    int* p = &m[pick[j] * dim];
    for (int k = 0; k < dim; ++k) *p++ += 2;
  }, consistency::async);
  check("post increment", 0x93660ab7da5dbe0b, 0xc18ad31394cc95d0);
  parallel_for(n, [dim, &pick, &m](int64_t j) {
    int* p = &m[pick[j] * dim];
    int* end = p + dim;
    while (p != end) { *p += 1; ++p; }
  }, consistency::async);
  check("end pointer", 0x04573264b41ac62b, 0xc18ad31394cc95d0);
}

static void known_width_2() {
  constexpr int dim = 12;
  constexpr int64_t n = problem::n;
  problem all(dim);
  const std::vector<int>&pick = all.pick, &other = all.other;
  dvector<int>&m = all.m, &q = all.q;
  const auto check = [&](const char* what, uint64_t a, uint64_t b) { all.check(what, a, b); };
  parallel_for(n, [dim, &pick, &m](int64_t j) {
    for (int *p = &m[pick[j] * dim], *e = &m[pick[j] * dim] + dim; p < e; ++p) *p += 3;
  }, consistency::async);
  check("end element", 0x8fe53553e47dba0b, 0xc18ad31394cc95d0);
  parallel_for(n, [dim, &pick, &m](int64_t j) {
    int* base = &m[0];
    const int64_t at = pick[j] * dim;
    for (int k = 0; k < dim; ++k) base[at + k] += 1;
  }, consistency::async);
  check("base", 0x04573264b41ac62b, 0xc18ad31394cc95d0);
  parallel_for(n, [dim, &pick, &m](int64_t j) {
    int* row = m.data() + pick[j] * dim;
    for (int k = dim; k-- > 0;) row[k] += 1;
  }, consistency::async);
  check("data", 0x04573264b41ac62b, 0xc18ad31394cc95d0);
  parallel_for(n, [dim, &pick, &other, &m, &q](int64_t j) {
    int s = std::accumulate(&m[other[j] * 12], &m[other[j] * 12] + 4, 0);
    q[pick[j]] += s;
  }, consistency::async);
  check("accumulate", 0x5aabdbaa162e3bab, 0xd15bb704fb000b70);
}

static void known_width_3() {
  constexpr int dim = 12;
  constexpr int64_t n = problem::n;
  problem all(dim);
  const std::vector<int>&pick = all.pick, &other = all.other;
  dvector<int>&m = all.m, &q = all.q;
  const auto check = [&](const char* what, uint64_t a, uint64_t b) { all.check(what, a, b); };
  parallel_for(n, [dim, &pick, &other, &m, &q](int64_t j) {
    std::memcpy(&q[pick[j] * 4], &m[pick[j] * 12], 4 * sizeof(int));
  }, consistency::async);
  check("memcpy", 0x5aabdbaa162e3bab, 0x8e2e1d25c74c5a10);
  parallel_for(n, [dim, &pick, &m](int64_t j) {
    std::span<int> s(&m[pick[j] * dim], dim);
    for (int& x : s) x += 5;
  }, consistency::async);
  check("span", 0xda939d8e3c18ce2b, 0xc18ad31394cc95d0);
  parallel_for(n, [dim, &pick, &m](int64_t j) {
    auto rows = reinterpret_cast<int(*)[4]>(&m[pick[j] * dim]);
    for (int a = 0; a < 3; ++a) for (int b = 0; b < 4; ++b) rows[a][b] += a + b;
  }, consistency::async);
  check("array pointer", 0x2a13b0b4a00b2acb, 0xc18ad31394cc95d0);
  parallel_for(n, [dim, &pick, &m](int64_t j) {
    __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(&m[pick[j] * dim]));
    v = _mm_add_epi32(v, _mm_set1_epi32(3));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(&m[pick[j] * dim]), v);
  }, consistency::async);
  check("sse", 0xb240f938452eb2cb, 0xc18ad31394cc95d0);
}

static void known_width_4() {
  constexpr int rows = problem::rows, dim = 12;
  constexpr int64_t n = problem::n;
  problem all(dim);
  const std::vector<int>&pick = all.pick;
  dvector<int>&m = all.m, &q = all.q;
  const auto check = [&](const char* what, uint64_t a, uint64_t b) { all.check(what, a, b); };
  parallel_for(n, [dim, &pick, &m](int64_t j) {
    scale(&m[pick[j] * dim], &m[pick[j] * dim] + dim, 3);
  }, consistency::async);
  check("scale", 0x287d9ddd609fccab, 0xc18ad31394cc95d0);
  parallel_for(n, [dim, &pick, &m, &q](int64_t j) {
    int* a = row_of(m, pick[j], dim);
    for (int k = 0; k < dim; ++k) a[k] += 1;
  }, consistency::async);
  check("row_of", 0x04573264b41ac62b, 0xc18ad31394cc95d0);
  parallel_for(n, [dim, &pick, &m, &q](int64_t j) {
    auto row = [&](int64_t i) { return &m[i * dim]; };
    int* a = row(pick[j]);
    for (int k = 0; k < dim; ++k) a[k] += 1;
  }, consistency::async);
  check("row lambda", 0x04573264b41ac62b, 0xc18ad31394cc95d0);
  parallel_for(rows * dim / 4, [&m](int64_t j) {
    int* a = &m[j * 4];
    a[1] += 1; a[3] += a[1];
  }, consistency::async);
  check("a[1]", 0x09bca78b54f085eb, 0xc18ad31394cc95d0);
}

static void width_at_run_time_1() {
  const config c;
  const int dim = c.dim;
  constexpr int64_t n = problem::n;
  problem all(dim);
  const std::vector<int>&pick = all.pick, &len = all.len;
  dvector<int>&m = all.m;
  const auto check = [&](const char* what, uint64_t a, uint64_t b) { all.check(what, a, b); };
  parallel_for(n, [dim, &pick, &m](int64_t j) {
    int* row = &m[pick[j] * dim];
    for (int k = 0; k < dim; ++k) row[k] += 1;
  }, consistency::async);
  check("plain row", 0x04573264b41ac62b, 0xc18ad31394cc95d0);
  parallel_for(n, [c, &pick, &m](int64_t j) {
    int* row = &m[pick[j] * c.dim];
    for (int k = 0; k < c.dim; k += 2) row[k] += 1;
  }, consistency::async);
  check("struct dim", 0xf490609709e02aeb, 0xc18ad31394cc95d0);
  parallel_for(n, [dim, &pick, &len, &m](int64_t j) {
    const int r = pick[j];
    int* row = &m[r * dim];
    for (int k = 0; k < len[r]; ++k) row[k] += 1;
  }, consistency::async);
  check("len[r]", 0xd142a7d77c41f483, 0xc18ad31394cc95d0);
  parallel_for(n, [dim, &pick, &m](int64_t j) {
    int* a = row_of(m, pick[j], dim);
    for (int k = 0; k < dim; ++k) a[k] += 1;
  }, consistency::async);
  check("row_of", 0x04573264b41ac62b, 0xc18ad31394cc95d0);
}

static void width_at_run_time_2() {
  const config c;
  const int dim = c.dim;
  constexpr int64_t n = problem::n;
  problem all(dim);
  const std::vector<int>&pick = all.pick;
  dvector<int>&m = all.m;
  const auto check = [&](const char* what, uint64_t a, uint64_t b) { all.check(what, a, b); };
  parallel_for(n, [dim, &pick, &m](int64_t j) {
    auto row = [&](int64_t i) { return &m[i * dim]; };
    int* a = row(pick[j]);
    for (int k = 0; k < dim; ++k) a[k] += 1;
  }, consistency::async);
  check("row lambda", 0x04573264b41ac62b, 0xc18ad31394cc95d0);
  parallel_for(n, [dim, &pick, &m](int64_t j) { add_one(&m[pick[j] * dim], dim); }, consistency::async);
  check("add_one", 0x04573264b41ac62b, 0xc18ad31394cc95d0);
  parallel_for(n, [dim, &pick, &m](int64_t j) { add_from_behind(&m[pick[j] * dim], dim - 1, 4); fill_row(&m[pick[j] * dim], dim - 1, 3); }, consistency::async);
  check("add_from_behind", 0xbb6eed4e826b99eb, 0xc18ad31394cc95d0);
  parallel_for(n, [dim, &pick, &m](int64_t j) { int* row = ROW(m, pick[j]); for (int k = 0; k < dim; ++k) row[k] += 2; }, consistency::async);
  check("macro row", 0x93660ab7da5dbe0b, 0xc18ad31394cc95d0);
}

static void width_at_run_time_3() {
  const config c;
  const int dim = c.dim;
  constexpr int64_t n = problem::n;
  problem all(dim);
  const std::vector<int>&pick = all.pick, &other = all.other;
  dvector<int>&m = all.m, &q = all.q;
  const auto check = [&](const char* what, uint64_t a, uint64_t b) { all.check(what, a, b); };
  parallel_for(n, [dim, &pick, &m](int64_t j) {
    int* row = &m[pick[j] * dim] + 3;
    for (int k = -3; k < dim - 3; ++k) row[k] += 2;
  }, consistency::async);
  check("negative", 0x93660ab7da5dbe0b, 0xc18ad31394cc95d0);
  parallel_for(n, [dim, &pick, &other, &m, &q](int64_t j) {
    int* row = j % 2 ? &m[pick[j] * dim] : &q[other[j] * dim];
    for (int k = 0; k < dim; ++k) row[k] += 2;
  }, consistency::async);
  check("either", 0x41e5f759bcd7be2b, 0xc52aa74345c67e90);
  parallel_for(n, [dim, &pick, &other, &m, &q](int64_t j) {
    std::fill(&q[pick[j] * dim], &q[pick[j] * dim] + dim, 3);
    std::fill_n(&m[pick[j] * dim], dim, pick[j]);
    std::copy(&m[pick[j] * dim], &m[pick[j] * dim + dim / 2], &q[pick[j] * dim]);
  }, consistency::async);
  check("fill, copy", 0x78215cad2d7a7dcf, 0xc3e87bb4d5967c25);
  parallel_for(n, [dim, &pick, &other, &m, &q](int64_t j) {
    q[pick[j]] += std::inner_product(&m[pick[j] * dim], &m[pick[j] * dim] + dim, &m[other[j] * dim], 0);
  }, consistency::async);
  check("inner product", 0x5aabdbaa162e3bab, 0x21ae9fff31ecfe20);
}

static void width_at_run_time_4() {
  const config c;
  const int rows = problem::rows, dim = c.dim;
  constexpr int64_t n = problem::n;
  problem all(dim);
  const std::vector<int>&pick = all.pick;
  dvector<int>&m = all.m;
  const auto check = [&](const char* what, uint64_t a, uint64_t b) { all.check(what, a, b); };
  parallel_for(n, [dim, rows, &pick, &m](int64_t j) {
    for (int r = 0; r < 3; ++r) {
      int* row = &m[((pick[j] + r) % rows) * dim];
      for (int k = 0; k < dim; ++k) row[k] += r;
    }
  }, consistency::async);
  check("rows in a loop", 0x8fe53553e47dba0b, 0xc18ad31394cc95d0);
  parallel_for(n, [dim, rows, &pick, &m](int64_t j) {
    int* p = &m[(pick[j] % (rows - 3)) * dim];
    for (int r = 0; r < 3; ++r, p += dim)
      for (int k = 0; k < dim; ++k) p[k] += r;
  }, consistency::async);
  check("row by row", 0x7059c6d7371ea30b, 0xc18ad31394cc95d0);
  parallel_for(n, [dim, &pick, &m](int64_t j) {
    unsigned char* bytes = reinterpret_cast<unsigned char*>(&m[pick[j] * dim]);
    for (std::size_t b = 0; b < dim * sizeof(int); b += 4) bytes[b] += 1;
  }, consistency::async);
  check("bytes", 0x04573264b41ac62b, 0xc18ad31394cc95d0);
  parallel_for(n, [dim, &pick, &m](int64_t j) {
    int* p = &m[pick[j] * dim]; int* q2 = p; q2 += 2; *q2 += 1; q2[1] += 2; q2[2] += 4;
  }, consistency::async);
  check("assigned", 0xc2a89044a89e0ffb, 0xc18ad31394cc95d0);
}

static void width_at_run_time_5() {
  const config c;
  const int dim = c.dim;
  constexpr int64_t n = problem::n;
  problem all(dim);
  const std::vector<int>&pick = all.pick, &other = all.other;
  dvector<int>&m = all.m;
  const auto check = [&](const char* what, uint64_t a, uint64_t b) { all.check(what, a, b); };
  parallel_for(n, [dim, &pick, &m](int64_t j) {
    int* b = m.begin() + pick[j] * dim;
    std::reverse(b, b + dim);
    b[0] += 1;
  }, consistency::ordered);
  check("begin, reverse", 0x8e3d890d3c9b730b, 0xc18ad31394cc95d0);
  parallel_for(n, [dim, &pick, &other, &m](int64_t j) {
    std::memmove(&m[pick[j] * dim + 1], &m[pick[j] * dim], (dim - 1) * sizeof(int));
    m[pick[j] * dim] = j % 5;
  }, consistency::ordered);
  check("memmove", 0x842fe534993035d3, 0xc18ad31394cc95d0);
  parallel_for(n, [dim, &pick, &other, &m](int64_t j) {
    if (pick[j] != other[j]) std::swap_ranges(&m[pick[j] * dim], &m[pick[j] * dim] + dim, &m[other[j] * dim]);
  }, consistency::ordered);
  check("swap_ranges", 0xe0f46ec8c609e843, 0xc18ad31394cc95d0);
  parallel_for(n, [dim, &pick, &other, &m](int64_t j) { add_rows(m, dim, pick[j], other[j]); }, consistency::ordered);
  check("add_rows", 0x8676597cd6163685, 0xc18ad31394cc95d0);
}

static void width_at_run_time_6() {
  const config c;
  const int rows = problem::rows, dim = c.dim;
  constexpr int64_t n = problem::n;
  problem all(dim);
  const std::vector<int>&pick = all.pick;
  dvector<int>&m = all.m, &q = all.q;
  const auto check = [&](const char* what, uint64_t a, uint64_t b) { all.check(what, a, b); };
  parallel_for(n, [&m, &q](int64_t j) {
    q[j % 10] += std::accumulate(m.begin(), m.end(), 0);
  }, consistency::async);
  check("whole read", 0x5aabdbaa162e3bab, 0x488a2379dd37c0f0);
  sync_for(n, 600, [dim, &pick, &m](int64_t j) {
    int* row = &m[pick[j] * dim];
    for (int k = 0; k < dim; ++k) row[k] += 1;
  });
  check("sync", 0x04573264b41ac62b, 0xc18ad31394cc95d0);
  // transactions: written data choose the row
  parallel_for(n, [dim, rows, &pick, &m](int64_t j) {
    int* row = &m[pick[j] * dim];
    int* next = &m[(row[0] % rows) * dim];
    for (int k = 1; k < dim; ++k) next[k] += 1;
    row[0] += 1;
  }, consistency::async);
  check("transactions", 0xc984d3770ebc82c9, 0xc18ad31394cc95d0);
  // each end of a row has its own subscript, in transactions on copies
  parallel_for(n, [dim, rows, &pick, &m](int64_t j) {
    const int row = m[pick[j] * dim] % rows;
    std::reverse(&m[row * dim + 1], &m[row * dim + 1] + (dim - 1));
    std::fill(&m[row * dim], &m[row * dim] + 1, row + 1);
  }, consistency::async);
  check("ends of rows in transactions", 0x33b59671df9fc5ed, 0xc18ad31394cc95d0);
  // a macro makes the pointer, in a lambda that the slice copies unchanged
  parallel_for(n, [dim, &pick, &m](int64_t j) {
    [&] { std::transform(ROW(m, pick[j]), ROW(m, pick[j]) + dim, ROW(m, pick[j]), [](int x) { return x + 1; }); }();
  }, consistency::async);
  check("macros in a lambda", 0x04573264b41ac62b, 0xc18ad31394cc95d0);
}

int main() {
  known_width_1();
  known_width_2();
  known_width_3();
  known_width_4();
  width_at_run_time_1();
  width_at_run_time_2();
  width_at_run_time_3();
  width_at_run_time_4();
  width_at_run_time_5();
  width_at_run_time_6();
  return failures;
}

// The beginning of generated loop programs: element types, data that depend on a salt alone, digests,
// functions that bodies call. The same text for stradsap-cc and for the twin.
#pragma once

#include "headers.hpp"

using stradsap::dmap;
using stradsap::dvector;
namespace consistency = stradsap::consistency;
using i64 = std::int64_t;
using u64 = std::uint64_t;
using u8 = std::uint8_t;

// ---- elements and keys ----

template <class T, int D> struct cell {
  T a{};
  T b[D]{};
  void bump(T by) { a += by; }
  [[nodiscard]] T first() const { return b[0]; }
};
struct spot {
  int x = 0;
  int y = 0;
  bool operator==(const spot&) const = default;
};
template <> struct std::hash<spot> {
  std::size_t operator()(const spot& s) const {
    return static_cast<std::size_t>(s.x) * 1000003u + static_cast<std::size_t>(s.y);
  }
};
template <class T> struct row_view {
  T* first;
  i64 n;
  T& operator()(i64 k) const { return first[k]; }
};

// ---- globals, macros ----

constexpr int table16[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 11};
inline const int offsets4[4] = {2, 0, 3, 1};
#define AT(m, i, d, k) (m)[(i) * (d) + (k)]
#define ROW(m, i, d) (&(m)[(i) * (d)])
#define FOR_EACH(k, d) for (int k = 0; k < (d); ++k)

// ---- functions with their text in sight ----

template <class T> T* row_of(dvector<T>& m, i64 i, i64 d) { return &m[i * d]; }
template <class T> T& element(dvector<T>& m, i64 i) { return m[i]; }
template <class T> void scale_row(T* row, i64 d, T by) {
  for (i64 k = 0; k < d; ++k) row[k] = static_cast<T>(row[k] * by + 1);
}
template <class T> void add_rows(T* to, const T* from, i64 d, T by) {
  for (i64 k = 0; k < d; ++k) to[k] += static_cast<T>(from[k] * by);
}
template <class T> void walk_rows(T* to, const T* from, i64 d) {
  while (d-- > 0) *to++ = static_cast<T>(*to + *from++);
}
template <class T> void scale_span(std::span<T> row, T by) {
  for (T& x : row) x = static_cast<T>(x * by + 2);
}
template <class T> void shift_array(T& x) { x = static_cast<T>(x * 2 + 1); }
template <class T> void bump_at(T* x, T by) { *x = static_cast<T>(*x * 3 + by); }
template <class T> T twice(T x) { return static_cast<T>(2 * x + 1); }
template <class T> T dot(const T* a, const T* b, i64 d) {
  T sum{};
  for (i64 k = 0; k < d; ++k) sum += static_cast<T>(a[k] * b[k]);
  return sum;
}
template <class T> T total_of(std::span<const T> row) { return std::accumulate(row.begin(), row.end(), T{}); }

// ---- functions known by name only: far.cpp ----

int far_mix(int a, int b);
void far_bump(int& x, int by);
void far_scale(int* row, i64 d, int by);
int far_total(const int* row, i64 d);

// ---- data ----

inline u64 mixed(u64 a, u64 b) {
  u64 x = a * 0x9E3779B97F4A7C15u + b * 0xD1342543DE82EF95u + 0x632BE59BD9B4E019u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  return x ^ (x >> 29);
}
inline i64 opaque(i64 x) {  // a constant, unknown to compilers
  volatile i64 held = x;
  return held;
}
template <class T> void set(T& x, u64 salt) { x = static_cast<T>(mixed(salt, 1) % 100); }
template <class T, std::size_t D> void set(std::array<T, D>& x, u64 salt) {
  for (std::size_t k = 0; k < D; ++k) set(x[k], salt + 31 * k);
}
template <class T, int D> void set(cell<T, D>& x, u64 salt) {
  set(x.a, salt);
  for (int k = 0; k < D; ++k) set(x.b[k], salt + 31u * static_cast<u64>(k) + 7);
}
inline void set(std::string& x, u64 salt) { x = "w" + std::to_string(mixed(salt, 1) % 37); }
template <class C> void fill(C& c, u64 salt) {
  for (u64 i = 0; i < c.size(); ++i) set(c[i], mixed(salt, i));
}
template <class T> void fill_nested(dvector<std::vector<T>>& c, u64 salt, u64 d) {
  for (u64 i = 0; i < c.size(); ++i) {
    c[i].resize(d);
    for (u64 k = 0; k < d; ++k) set(c[i][k], mixed(salt, i * d + k));
  }
}
/// Fills in row numbers of `rows`: at random, each in turn, or a few of them, by `how`.
template <class C> void fill_ids(C& c, u64 rows, u64 salt, int how) {
  for (u64 i = 0; i < c.size(); ++i) {
    const u64 any = mixed(salt, i) % rows;
    c[i] = static_cast<int>(how == 1                   ? (i * 7 + salt) % rows
                            : how == 2 && any % 4 != 0 ? any % 3 % rows
                                                       : any);
  }
}
/// Row j of `indptr` has 0 to 4 entries; each names one of `columns`.
inline void make_rows(std::vector<int>& indptr, std::vector<int>& indices, std::vector<int>& values, u64 n,
                      u64 columns, u64 salt) {
  indptr.assign(1, 0);
  for (u64 j = 0; j < n; ++j) {
    for (u64 p = 0; p < mixed(salt, j) % 5; ++p) {
      indices.push_back(static_cast<int>(mixed(salt + 1, j * 5 + p) % columns));
      values.push_back(static_cast<int>(mixed(salt + 2, j * 5 + p) % 9));
    }
    indptr.push_back(static_cast<int>(indices.size()));
  }
}

// ---- results of a loop ----

template <class T> u64 digest(const T& x) { return static_cast<u64>(x); }
template <class T, std::size_t D> u64 digest(const std::array<T, D>& x) {
  return std::accumulate(x.begin(), x.end(), u64{1},
                         [](u64 all, T k) { return mixed(all, static_cast<u64>(k)); });
}
template <class T> u64 digest(const std::vector<T>& x) {
  return std::accumulate(x.begin(), x.end(), u64{2},
                         [](u64 all, T k) { return mixed(all, static_cast<u64>(k)); });
}
template <class T, int D> u64 digest(const cell<T, D>& x) {
  return std::accumulate(x.b, x.b + D, static_cast<u64>(x.a),
                         [](u64 all, T k) { return mixed(all, static_cast<u64>(k)); });
}
inline u64 digest(const std::string& x) {
  return std::accumulate(x.begin(), x.end(), u64{3},
                         [](u64 all, char k) { return mixed(all, static_cast<u64>(k)); });
}
inline u64 digest(const spot& x) { return mixed(static_cast<u64>(x.x), static_cast<u64>(x.y)); }
inline void show(const char* name, u64 hash) { std::printf(" %s=%016" PRIx64, name, hash); }
template <class T> void show(const char* name, const dvector<T>& of) {
  u64 all = of.size();
  for (const T& x : of) all = mixed(all, digest(x));
  show(name, all);
}
template <class K, class V> void show(const char* name, const dmap<K, V>& of) {
  u64 all = 0;  // in any order of keys
  for (const auto& [key, value] : of) all += mixed(digest(key), digest(value));
  show(name, all);
}
template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>> void show(const char* name, T x) {
  show(name, static_cast<u64>(x));
}

/// Runs a loop of the program, unless the command line leaves it out. Its exception is part of the output.
inline void run(int argc, char** argv, const char* name, void (*loop)()) {
  for (int i = 1; i < argc; ++i)
    if (std::strcmp(argv[i], name) == 0) return;
  std::printf("%s", name);
  try {
    loop();
  } catch (const std::exception& e) {
    std::printf(" threw: %s", e.what());
  }
  std::printf(" .\n");
  std::fflush(stdout);
}

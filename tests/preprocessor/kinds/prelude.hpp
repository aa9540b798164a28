// The names in the lines of writes.txt and reads.txt: elements
// of many kinds, functions that change their arguments.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bitset>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <ranges>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <stradsap/cereal.hpp>
#include <stradsap/stradsap.hpp>

using namespace stradsap;

struct E {
  int x = 0;
  double d = 0;
  int arr[4]{};
  std::vector<int> v;
  std::map<int, int> m;
  std::array<int, 3> a{};
  std::tuple<int, int> t;
  std::optional<int> o;
  int operator()() { return ++x; }
  operator int&() { return x; }
  E& self() { return *this; }
  int* px() { return &x; }
  void set(int q) { x = q; }
  int& rx() { return x; }
  int* begin() { return ++x, arr; }
  int* end() { return arr + 4; }
  template <class F> void visit(F f) { f(x); }
  friend void poke(E& e) { e.x = 1; }
  E& operator<<(int q) {
    x = q;
    return *this;
  }
};
struct Cell {
  mutable int x = 0;
};
// encodes itself, so it may own memory behind pointers
class Owner {
 public:
  int* p = nullptr;
  std::unique_ptr<int[]> u;
  int n = 0;
  Owner() = default;
  Owner(const Owner& other) : n(other.n) {}
  Owner& operator=(const Owner& other) {
    n = other.n;
    return *this;
  }
  int& at(int k) const { return p[k]; }
  int get(int k) const { return p[k]; }
  void put(int k) const { p[k] = 1; }
  void put_first() const { put(0); }
  int sum() const {
    int all = 0;
    for (int k = 0; k < n; ++k) all += p[k];
    return all;
  }
  template <class Archive> void serialize(Archive& archive) { archive(n); }
};
struct Shared {
  std::shared_ptr<E> e;
  template <class Archive> void serialize(Archive& archive) { archive(e->x); }
};
struct Shape {
  virtual ~Shape() = default;
  virtual void go(E&) const {}
};
struct Square : Shape {
  void go(E& e) const override { e.x = 1; }
};
inline E& operator+=(E& a, int b) {
  a.x += b;
  return a;
}
inline int* addr(E& e) { return &e.x; }
template <class T> void tset(T&& t) { t.x = 4; }
inline void eat(std::vector<int>&& v) { std::vector<int> w(std::move(v)); }
inline void eatv(std::vector<int>) {}
template <class C> void cset(C& D, int i) { D[i].x = 1; }
inline E& pick(dvector<E>& D, int i) { return D[i]; }
struct Adder {
  explicit Adder(int& to) { ++to; }
};
struct Point {
  int at = 0;
  Point(const int& of) : at(of) {}
};
struct Wrap {
  E& e;
  ~Wrap() { e.x = 9; }
};
struct Wp {
  E* e;
  Wp(E* q) : e(q) {}
  void go() const { e->x = 3; }
};
inline void tail(E* e, int n) {
  for (int i = 0; i < n; ++i) e[i].x = 1;
}

inline void set_bit(std::bitset<8>::reference bit) { bit = true; }
inline bool is_set(std::bitset<8>::reference bit) { return bit; }

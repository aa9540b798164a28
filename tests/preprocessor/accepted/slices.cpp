// The necessary parts of a slice: the computation of subscripts. It fits on one line and compiles without a warning.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <random>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::async_for;
using stradsap::dmap;
using stradsap::dvector;

static int wrong = 0;

static void expect(const char* what, long found, long wanted) {
  if (found == wanted) return;
  std::printf("%s: %ld instead of %ld\n", what, found, wanted);
  ++wrong;
}

static long total(const dvector<long>& x) {
  long sum = 0;
  for (const long value : x) sum += value;
  return sum;
}

struct leaves {
  int& out;
  int value;
  ~leaves() { out = value; }
};

static int bump(int& k) { return ++k; }

struct word {
  std::vector<std::pair<int, int>> links;
  int first = -1;
};

#define WIDTH 3

constexpr int64_t n = 2000;

static void step_by_step(dvector<long>& x, dvector<long>& y) {
  constexpr int factor = 2;
  const int shift = 5;

  async_for(n, [&, shift](int64_t j) {  // computed step by step
    constexpr int width = WIDTH;
    int places[width] = {0, 1, 2};  // an array with a name for its size
    int k = 0;
    for (int i = 0; i < width; ++i) places[i] = static_cast<int>((j * (i + 1) + shift) % 50);
    k = bump(k) + factor;
    double unused = 1;
    for (int i = 0; i < 100; ++i) unused *= 1.01;  /* not a part of it */
    x[places[k % width]] += 1;  // one
    if (unused < 0) return;
    y[places[0]] += 1;
  });
  expect("x, step by step", total(x), n);
  expect("y, step by step", total(y), n);
}

static void hidden_and_drawn(dvector<long>& x, dvector<long>& y) {
  async_for(n, [&](int64_t j) {  // a destructor, an engine, a list
    int k = 0;
    { const leaves last{k, static_cast<int>(j % 50)}; }
    x[k] += 1;
    std::mt19937 engine(static_cast<unsigned>(j));
    std::uniform_int_distribution<int> pick(0, 49);
    std::vector<int> list;
    for (int i = 0; i < 4; ++i) list.push_back(pick(engine));
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    for (const int i : list) y[i] += 1;
    y[list.front()] += 4 - static_cast<long>(list.size());
  });
  expect("x, hidden and drawn", total(x), 2 * n);
  expect("y, hidden and drawn", total(y), 5 * n);
}

int main() {
  dvector<long> x(50), y(50);
  dvector<word> words(n);
  dmap<int, long> counts;
  for (int64_t j = 0; j < n; ++j) {
    for (int k = 0; k < 3; ++k) words[j].links.emplace_back(static_cast<int>((j + k * 11) % 50), k);
    words[j].first = static_cast<int>(j % 51) - 1;
  }
  step_by_step(x, y);
  hidden_and_drawn(x, y);

  async_for(n, [&, limit = 3](int64_t j) {  // a condition that protects a subscript, left out with another
    const word& w = words[j];
    for (const auto& [to, rank] : w.links) {
      if (rank >= limit) continue;
      x[to] += 1;
    }
    const long seen = x[w.links[0].first];
    if (w.first >= 0 && seen > 0) y[w.first] += 1;
    for (auto link : w.links) counts[link.first % 7] += 1;
  });
  expect("x, linked", total(x), 5 * n);
  long in_map = 0, named = 0;
  for (const auto& [key, count] : std::as_const(counts)) in_map += count;
  for (int64_t j = 0; j < n; ++j) named += j % 51 != 0 ? 1 : 0;
  expect("a map", in_map, 3 * n);
  expect("y, protected", total(y), 5 * n + named);
  return wrong == 0 ? 0 : 1;
}

// Loops that erase keys of a dmap: alone, together with insertions, under conditions, in any model.
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <utility>

#include <stradsap/stradsap.hpp>

using stradsap::async_for;
using stradsap::dmap;
using stradsap::dvector;
using stradsap::parallel_for;

static int wrong = 0;

static void expect(const char* what, int64_t found, int64_t wanted) {
  if (found == wanted) return;
  std::printf("%s: %lld instead of %lld\n", what, static_cast<long long>(found), static_cast<long long>(wanted));
  ++wrong;
}

/// Keys and values, in any order.
template <class Map> static int64_t hash_of(const Map& map) {
  int64_t sum = 0;
  for (const auto& [key, value] : map) sum += (key + 1) * 1009 + static_cast<int64_t>(value.size()) * 31;
  return sum;
}

/// A loop that drops short words, and its remainder.
static void filter(int n) {
  dmap<int, std::string> words;
  for (int key = 0; key < n; ++key) words[key] = std::string(static_cast<std::size_t>(key % 7), 'x');
  int64_t dropped = 0, missing = 0;
  for (int pass = 0; pass < 2; ++pass) {
    async_for(n, [&](int j) {
      if (words.contains(j) && words[j].size() < 3) dropped += static_cast<int64_t>(words.erase(j));
      missing += static_cast<int64_t>(words.erase(j + n));
    });
  }
  int64_t wanted = 0;
  for (int key = 0; key < n; ++key) wanted += key % 7 >= 3;
  expect("left", static_cast<int64_t>(words.size()), wanted);
  expect("dropped", dropped, n - wanted);
  expect("missing", missing, 0);
  expect("an erased key", words.contains(0), 0);
  expect("its next value", static_cast<int64_t>(words[0].size()), 0);
}

/// A queue of free places: one iteration erases a place, another one inserts it.
template <class Body> static void both(const char* what, int n, const Body& turn) {
  dmap<int, std::string> places;
  std::map<int, std::string> plain;
  for (int pass = 0; pass < 3; ++pass) {
    turn(places, pass);
    for (int j = 0; j < n; ++j) {
      const int key = j % 40;
      if ((j + pass) % 3 == 0) {
        plain.erase(key);
      } else {
        plain[key] += 'x';
      }
    }
    expect(what, hash_of(places), hash_of(plain));
  }
}

int main() {
  constexpr int n = 600;
  filter(n);
  both("ordered", n, [](dmap<int, std::string>& places, int pass) {
    parallel_for(n, [&](int j) {
      const int key = j % 40;
      if ((j + pass) % 3 == 0) {
        places.erase(key);
      } else {
        places[key] += 'x';
      }
    }, stradsap::consistency::ordered);
  });
  dmap<int, int64_t> sums;
  for (int key = 0; key < 100; ++key) sums[key] = key;
  parallel_for(100 * 16, [&](int j) {  // one shard erases a key that earlier ones add to
    if (j % 100 == 7 && j / 100 == 5) {
      sums.erase(7);
    } else if (j % 100 != 7 || j / 100 < 5) {
      sums[j % 100] += 1;
    }
  }, stradsap::consistency::sync(0));
  int64_t total = 0;
  for (const auto& [key, value] : std::as_const(sums)) total += value;
  expect("sync", static_cast<int64_t>(sums.size()), 99);
  expect("sums", total, 99 * 100 / 2 - 7 + 99 * 16);
  expect("the next value", sums[7], 0);
  return wrong == 0 ? 0 : 1;
}

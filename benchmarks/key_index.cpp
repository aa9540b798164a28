// The index of dmap beside tsl::robin_map and std::unordered_map: nanoseconds to add a key, to find one and
// to miss one, the best of 7 rounds. Keys are dense integers, sparse integers and short strings.
//
//   tools/build release key_index && build/release/bin/key_index

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include <tsl/robin_map.h>
#include <stradsap/abi/key_index.hpp>

using steady = std::chrono::steady_clock;

static volatile std::uint64_t sink;

template <class Key> struct ours {
  stradsap::abi::flat_key_index<Key, long> index;
  void add(const Key& key, std::uint32_t) { index.add(key); }
  [[nodiscard]] std::uint64_t find(const Key& key) const { return index.find(key); }
};

/// A map from keys to slots; it has the same hash function as ours, or the library's own.
template <class Map> struct theirs {
  Map map;
  template <class Key> void add(const Key& key, std::uint32_t slot) { map.emplace(key, slot); }
  template <class Key> [[nodiscard]] std::uint64_t find(const Key& key) const {
    const auto found = map.find(key);
    return found == map.end() ? 0 : found->second;
  }
};

struct same_hash {
  template <class Key> std::size_t operator()(const Key& key) const {
    return stradsap::abi::spread_hash(key);
  }
};

template <class Key> struct workload {
  std::vector<Key> keys;   // in the order of their slots
  std::vector<Key> asked;  // the same in another order
  std::vector<Key> not_there;
};

template <class Body> static double nanoseconds(std::size_t n, const Body& body) {
  const auto start = steady::now();
  body();
  return std::chrono::duration<double, std::nano>(steady::now() - start).count() / static_cast<double>(n);
}

template <class Index, class Key> static void measure(const char* name, const workload<Key>& with) {
  double add = std::numeric_limits<double>::max();
  double hit = add;
  double miss = add;
  const std::size_t n = with.keys.size();
  const auto find_all = [](const Index& index, const std::vector<Key>& keys) {
    std::uint64_t sum = 0;
    for (const Key& key : keys) sum += index.find(key);
    sink = sum;
  };
  for (int round = 0; round < 7; ++round) {
    Index index;
    add = std::min(add, nanoseconds(n, [&] {
                     for (std::uint32_t slot = 0; slot < n; ++slot) index.add(with.keys[slot], slot);
                   }));
    hit = std::min(hit, nanoseconds(n, [&] { find_all(index, with.asked); }));
    miss = std::min(miss, nanoseconds(n, [&] { find_all(index, with.not_there); }));
  }
  std::printf("  %-20s %7.1f %7.1f %7.1f\n", name, add, hit, miss);
}

template <class Key, class Make> static void compare(const char* kind, std::size_t n, const Make& make) {
  workload<Key> with;
  for (std::size_t i = 0; i < n; ++i) with.keys.push_back(make(2 * i));
  for (std::size_t i = 0; i < n; ++i) with.not_there.push_back(make(2 * i + 1));
  with.asked = with.keys;
  std::shuffle(with.asked.begin(), with.asked.end(), std::mt19937_64(1));
  std::printf("%zu %s: ns to add, find, miss\n", n, kind);
  measure<ours<Key>>("dmap's index", with);
  measure<theirs<tsl::robin_map<Key, std::uint32_t, same_hash>>>("tsl::robin_map", with);
  measure<theirs<std::unordered_map<Key, std::uint32_t>>>("std::unordered_map", with);
}

int main() {
  for (const std::size_t n : {1'000u, 100'000u, 2'000'000u}) {
    compare<std::int64_t>("dense integers", n, [](std::size_t i) {
      return static_cast<std::int64_t>(i / 2) + (i % 2 == 0 ? 0 : 100'000'000);
    });
    compare<std::uint64_t>("sparse integers", n, [](std::size_t i) { return std::mt19937_64(i)(); });
    compare<std::string>(
        "words", n, [](std::size_t i) { return "w" + std::to_string(std::mt19937_64(i)() % 1'000'000'007); });
  }
}

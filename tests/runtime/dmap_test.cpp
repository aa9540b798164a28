// The parts of a dmap: its index's search for keys, a view's use of the slots that a plan foresees, and the
// transfer of entries.
#define STRADSAP_INSTRUMENTED
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <stradsap/dmap.hpp>

#include "tests/support/catch.hpp"

using namespace stradsap;

namespace {

template <class K> using index_of = abi::flat_key_index<K, int>;

/// Adds the keys and tells whether each is found at its position.
template <class K> bool holds(index_of<K>& index, const std::vector<K>& keys) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (index.add(keys[i]) != i) return false;
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (index.find(keys[i]) != i || index.add(keys[i]) != i) return false;
  }
  return index.size() == keys.size();
}

/// All values of a type of 8 bits, in an order that is neither rising nor falling.
template <class K> std::vector<K> all_of_a_byte() {
  std::vector<K> keys;
  for (int i = 0; i < 256; ++i) keys.push_back(static_cast<K>(i * 77));
  return keys;
}

/// Some bytes that hold entries, without a runtime behind them.
struct entries {
  using entry = abi::map_entry<int, float>;

  explicit entries(int n) : memory(static_cast<std::size_t>(n) * sizeof(entry)) {
    for (int key = 0; key < n; ++key) {
      keys.add(10 * key);
      keys.construct_entry(static_cast<std::uint64_t>(key), &(*this)[key]);
      (*this)[key].exists = true;
    }
  }
  entry& operator[](int i) { return reinterpret_cast<entry*>(memory.data())[i]; }
  abi::window window(abi::key_index& by) {
    abi::window w;
    w.base = memory.data();
    w.count = w.readable = w.size = memory.size() / sizeof(entry);
    w.keys = &by;
    return w;
  }

  std::vector<std::byte> memory;
  abi::flat_key_index<int, float> keys;
};

}  // namespace

TEST_CASE("dense integer keys are found without hashing, others by it", "[dmap]") {
  index_of<int> rising;
  std::vector<int> keys;
  for (int i = 0; i < 5000; ++i) keys.push_back(i);
  CHECK(holds(rising, keys));
  CHECK(rising.is_direct());
  CHECK(rising.find(-1) == rising.none);
  CHECK(rising.find(5000) == rising.none);
  CHECK(rising.find(std::numeric_limits<int>::min()) == rising.none);

  index_of<int> scattered;
  for (int& key : keys) key *= 400000;
  keys.resize(5000);
  CHECK(holds(scattered, keys));
  CHECK_FALSE(scattered.is_direct());
  CHECK(scattered.find(1) == scattered.none);
}

TEST_CASE("dense keys may come in any order and have both signs", "[dmap]") {
  for (const std::int64_t stride : {1, -1, 7, 4099}) {
    std::vector<std::int64_t> keys;
    for (std::int64_t i = 0; i < 9973; ++i) keys.push_back((i * stride % 9973 + 9973) % 9973 - 5000);
    index_of<std::int64_t> index;
    CHECK(holds(index, keys));
    CHECK(index.is_direct());
    CHECK(index.find(-5001) == index.none);
    CHECK(index.find(4973) == index.none);
  }
  index_of<int> both_ways;
  std::vector<int> keys;
  for (int i = 0; i < 3000; ++i) keys.push_back(i % 2 == 0 ? i : -i);
  CHECK(holds(both_ways, keys));
  CHECK(both_ways.is_direct());
}

TEST_CASE("a far key ends the table, and keys that fill the gap bring it back", "[dmap]") {
  index_of<int> index;
  std::vector<int> keys{0, 1, 2, 3, 1000};
  CHECK(holds(index, keys));
  CHECK_FALSE(index.is_direct());
  for (int i = 4; i < 1000; ++i) keys.push_back(i);
  CHECK(holds(index, keys));
  CHECK(index.is_direct());
  keys.push_back(1 << 30);
  CHECK(holds(index, keys));
  CHECK_FALSE(index.is_direct());
}

TEST_CASE("the limits of a key's type are keys as others are", "[dmap]") {
  using wide = std::numeric_limits<std::int64_t>;
  using natural = std::numeric_limits<std::uint64_t>;
  index_of<std::int64_t> spread;
  CHECK(holds(spread, {wide::min(), wide::max(), 0, -1, 1, wide::max() - 1, wide::min() + 1}));
  CHECK_FALSE(spread.is_direct());

  index_of<std::int64_t> lowest;
  std::vector<std::int64_t> low;
  for (std::int64_t i = 0; i < 100; ++i) low.push_back(wide::min() + i);
  CHECK(holds(lowest, low));
  CHECK(lowest.is_direct());
  CHECK(lowest.find(wide::max()) == lowest.none);
  CHECK(lowest.find(0) == lowest.none);
  CHECK(lowest.add(wide::max()) == 100);
  CHECK(lowest.find(wide::max()) == 100);
  CHECK(lowest.find(wide::min()) == 0);

  index_of<std::uint64_t> highest;
  std::vector<std::uint64_t> high;
  for (std::uint64_t i = 0; i < 100; ++i) high.push_back(natural::max() - i);
  CHECK(holds(highest, high));
  CHECK(highest.is_direct());
  CHECK(highest.find(0) == highest.none);
  CHECK(highest.add(0) == 100);

  index_of<signed char> small;
  CHECK(holds(small, all_of_a_byte<signed char>()));
  index_of<unsigned char> bytes;
  CHECK(holds(bytes, all_of_a_byte<unsigned char>()));
  index_of<bool> flags;
  CHECK(holds(flags, {true, false}));
}

TEST_CASE("keys that are no integers are hashed, and all keys travel", "[dmap]") {
  index_of<std::string> words;
  std::vector<std::string> keys;
  for (int i = 0; i < 1000; ++i) keys.push_back("w" + std::to_string(i * i));
  CHECK(holds(words, keys));
  CHECK_FALSE(words.is_direct());
  std::vector<std::byte> sent;
  abi::writer out(sent);
  words.write_keys(10, out);
  index_of<std::string> other;
  abi::reader in(sent);
  CHECK(other.add_keys(in).size() == 990);
  CHECK(other.find("w100") == 0);
}

TEST_CASE("a view finds the keys that its iteration's slots have without asking the index", "[dmap]") {
  entries all(6);
  abi::flat_key_index<int, float> knows_none;
  auto view = abi::internals::view<dmap<int, float>>(all.window(knows_none));
  const std::uint32_t first[] = {2, 5}, second[] = {4, 4};
  abi::internals::follow(view, abi::element_column{first, second});
  abi::internals::begin_iteration(view, 0, 0);
  view[40] = 4;
  view[20] = 2;
  view[40] += 1;
  CHECK(view.at(20) == 2);
  CHECK(all[4].item.second == 5);
  CHECK_FALSE(view.contains(50));
  abi::internals::begin_iteration(view, 1, 0);
  CHECK(view.contains(50));
  CHECK_FALSE(view.contains(20));
  CHECK_THROWS_AS(view[20], error);
  abi::internals::look_at(view, all.window(knows_none));
  abi::internals::follow(view, abi::element_column{});
  CHECK_FALSE(view.contains(50));
}

TEST_CASE("slots that an iteration does not touch change nothing", "[dmap]") {
  entries all(6);
  auto view = abi::internals::view<dmap<int, float>>(all.window(all.keys));
  const std::uint32_t slots[] = {3};
  abi::internals::follow(view, abi::element_column{slots, nullptr});
  abi::internals::begin_iteration(view, 0, 0);
  for (int key = 0; key < 6; ++key) view[10 * key] = static_cast<float>(key);
  for (int key = 0; key < 6; ++key) CHECK(all[key].item.second == static_cast<float>(key));
  all[3].exists = false;
  CHECK_FALSE(view.contains(30));
  CHECK_THROWS_AS(view.at(30), error);
  CHECK_FALSE(view.contains(35));
}

TEST_CASE("entries travel as values and whether they exist, and keys stay", "[dmap]") {
  entries from(5), to(5);
  for (int i = 0; i < 5; ++i) {
    from[i].item.second = 1.5f * static_cast<float>(i);
    from[i].exists = i != 3;
  }
  const abi::element_ops& ops = abi::internals::ops<dmap<int, float>>();
  std::vector<std::byte> sent;
  abi::writer out(sent);
  ops.write(&from[0], 5, out);
  CHECK(sent.size() == 5 * (1 + sizeof(float)));
  abi::reader in(sent);
  ops.read(&to[0], 5, in);
  CHECK(in.remaining() == 0);
  for (int i = 0; i < 5; ++i) {
    CHECK(to[i].item.first == 10 * i);
    CHECK(to[i].item.second == from[i].item.second);
    CHECK(to[i].exists == (i != 3));
  }
  abi::reader early(sent.data(), sent.size() - 1);
  CHECK_THROWS_AS(ops.read(&to[0], 5, early), error);
}

TEST_CASE("bytes between the members of an entry do not travel", "[dmap]") {
  using entry = abi::map_entry<char, double>;
  using ops = abi::entry_operations<char, double>;
  std::vector<std::byte> sent[2];
  for (int fill = 0; fill < 2; ++fill) {
    alignas(entry) std::byte memory[sizeof(entry)];
    std::fill(std::begin(memory), std::end(memory), std::byte(fill == 0 ? 0x00 : 0xff));
    entry* made = new (memory) entry('k');
    made->item.second = 0.5;
    abi::writer out(sent[fill]);
    ops::table.write(made, 1, out);
  }
  CHECK(sent[0] == sent[1]);
}

TEST_CASE("a key that one shard erases is gone, in whatever order shards are folded", "[dmap]") {
  using entry = abi::map_entry<int, double>;
  const auto made = [](double value, bool exists) {
    entry e(1);
    e.item.second = value;
    e.exists = exists;
    return e;
  };
  const auto folded = [](const entry& start, const std::vector<entry>& ends) {
    entry total = start;
    for (const entry& end : ends) abi::entry_operations<int, double>::merge(&total, &start, &end, 1);
    return total;
  };
  const entry start = made(3, true), grown = made(5, true), erased = made(0, false), none = made(0, false);
  for (const std::vector<entry>& ends :
       {std::vector{grown, erased, grown}, {erased, grown}, {grown, erased}}) {
    const entry left = folded(start, ends);
    CHECK_FALSE(left.exists);
    CHECK(left.item.second == 0);
  }
  CHECK(folded(start, {grown, grown}).item.second == 7);
  const entry inserted = folded(none, {none, made(2, true), made(4, true)});
  CHECK(inserted.exists);
  CHECK(inserted.item.second == 6);
}

namespace {

struct padded {
  std::int64_t a = 0;
  char tag = 0;
  double c = 0;
};

/// The same value, with other padding bytes.
padded with_padding_of(unsigned char filler) {
  padded made;
  std::memset(static_cast<void*>(&made), filler, sizeof made);
  made.a = 3;
  made.tag = 'x';
  made.c = 0.5;
  return made;
}

}  // namespace

TEST_CASE("bytes that are no value's tell no elements apart", "[dds]") {
  using element = abi::operations<padded>;
  const padded one = with_padding_of(0x55), same = with_padding_of(0xaa);
  padded other = one;
  other.tag = 'y';
  CHECK(std::memcmp(&one, &same, sizeof one) != 0);
  CHECK((!element::is_compared || element::same(&one, &same)));
  CHECK_FALSE((element::is_compared && element::same(&one, &other)));
  CHECK(abi::operations<double>::table.is_compared);
  CHECK(abi::operations<double>::table.own.same == nullptr);
  CHECK_FALSE(abi::operations<std::string>::table.is_compared);
  using map_entry = abi::map_entry<int, padded>;
  map_entry first(1), second(1);
  first.item.second = one;
  second.item.second = same;
  CHECK((!element::is_compared || abi::entry_operations<int, padded>::table.own.same(&first, &second)));
  second.exists = true;
  CHECK_FALSE(abi::entry_operations<int, padded>::table.own.same(&first, &second));
}

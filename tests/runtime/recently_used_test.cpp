// Values for later calls: a full store drops unused ones, but none of those that loops in turn use.
#include <cstdint>
#include <memory>
#include <utility>

#include "runtime/cluster/recently_used.hpp"
#include "tests/support/catch.hpp"

using stradsap::rt::recently_used;

/// The number of values that are found in one turn of keys, each of which is added if it is missing.
static int found_in_turn(recently_used<std::uint64_t>& store, std::uint64_t first, std::uint64_t count) {
  int found = 0;
  for (std::uint64_t key = first; key < first + count; ++key) {
    const std::uint64_t* const value = store.find(key);
    if (value == nullptr) {
      (void)store.add(key, key * key, 1);
    } else {
      found += *value == key * key ? 1 : 0;
    }
  }
  return found;
}

TEST_CASE("values that are needed in turn do not drop each other", "[cluster]") {
  recently_used<std::uint64_t> store(10, 1000);
  CHECK(found_in_turn(store, 0, 10) == 0);
  CHECK(found_in_turn(store, 0, 10) == 10);
  for (int turn = 0; turn < 5; ++turn) CHECK(found_in_turn(store, 0, 15) == 10);
  CHECK(store.size() == 10);
  CHECK_FALSE(store.may_have_room());
  while (!store.may_have_room()) (void)store.find(1000);
  CHECK(store.add(1000, 1, 1) != nullptr);
}

TEST_CASE("values that no call needs any more give way, the oldest first", "[cluster]") {
  recently_used<std::uint64_t> store(4, 1000);
  found_in_turn(store, 0, 4);
  for (int turn = 0; turn < 6; ++turn) CHECK(found_in_turn(store, 2, 2) == 2);
  CHECK(store.add(100, 1, 1) == nullptr);  // 15 calls since the last use of key 0
  found_in_turn(store, 2, 2);
  REQUIRE(store.add(100, 1, 1) != nullptr);
  CHECK(store.find(0) == nullptr);
  CHECK(store.find(1) != nullptr);
  CHECK(store.find(2) != nullptr);
  CHECK(store.find(100) != nullptr);
}

TEST_CASE("a store of recently used values has a limit of bytes", "[cluster]") {
  recently_used<std::unique_ptr<int>> store(3, 100);
  auto large = std::make_unique<int>(7);
  CHECK(store.add(1, std::move(large), 101) == nullptr);
  CHECK(*large == 7);  // it stays with the caller
  CHECK(store.add(1, std::move(large), 60) != nullptr);
  CHECK(store.may_have_room());
  CHECK(store.add(2, std::make_unique<int>(8), 60) == nullptr);
  CHECK_FALSE(store.may_have_room());
  CHECK(store.add(1, std::make_unique<int>(9), 90) != nullptr);
  CHECK(store.size_bytes() == 90);
  store.erase(1);
  store.erase(1);
  CHECK(store.size_bytes() == 0);
  CHECK(store.add(2, std::make_unique<int>(8), 60) != nullptr);
}

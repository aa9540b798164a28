// Ranges that containers leave to later ones.
#include "runtime/dds/range_pool.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "runtime/dds/poison.hpp"
#include "tests/support/catch.hpp"

using namespace stradsap::rt;

static bool is_zero(const address_range& range, std::size_t size) {
  return std::all_of(range.base(), range.base() + size, [](std::byte b) { return b == std::byte{}; });
}

TEST_CASE("a range that is taken again is of zeros", "[dds]") {
  constexpr std::size_t size = 100000;
  address_range first = range_for(size);
  std::byte* const base = first.base();
  std::fill(base, base + size, std::byte{7});
  leave_range(std::move(first), size);
  const address_range again = range_for(2 * size);
  if (!poison::is_possible()) CHECK(again.base() == base);
  CHECK(is_zero(again, again.size()));
}

TEST_CASE("ranges of large containers, and more than a few, go back to the system", "[dds]") {
  const std::size_t small = address_range(1).size();
  address_range large = range_for(2 * small);
  CHECK(large.size() == 2 * small);
  leave_range(std::move(large), small);
  CHECK(range_for(1).size() == small);
  std::vector<address_range> many;
  for (int k = 0; k < 100; ++k) many.push_back(range_for(1));
  for (address_range& one : many) {
    one.base()[0] = std::byte{1};
    leave_range(std::move(one), 1);
  }
  std::vector<address_range> again;
  for (int k = 0; k < 100; ++k) {
    again.push_back(range_for(1));
    CHECK(is_zero(again.back(), 1));
  }
}

TEST_CASE("a range that was used far beyond a small container is not kept", "[dds]") {
  constexpr std::size_t large = std::size_t{1} << 20;
  address_range grown = range_for(1);
  std::fill(grown.base(), grown.base() + large, std::byte{7});
  leave_range(std::move(grown), large);
  const address_range next = range_for(1);
  CHECK(is_zero(next, next.size()));
}

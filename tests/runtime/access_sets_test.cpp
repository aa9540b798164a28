// Sets of touches with new keys of maps, which get their slots after all iterations were inspected.
#include <bit>
#include <cstdint>
#include <vector>

#include "runtime/loop/access/access_sets.hpp"
#include "tests/support/catch.hpp"

using namespace stradsap::rt;

/// Whether the touches of iteration i are these elements of captures 0, 1, ....
static bool has_elements(const access_sets& sets, std::uint64_t i,
                         const std::vector<std::uint64_t>& elements) {
  std::vector<std::uint64_t> found;
  bool is_in_order = true;
  sets.visit(i, [&](std::uint32_t capture, std::uint64_t element) {
    is_in_order = is_in_order && capture == found.size();
    found.push_back(element);
  });
  return is_in_order && found == elements;
}

TEST_CASE("touches of new keys stay in rows and get their slots", "[loop]") {
  access_sets sets;
  sets.expect(400);
  for (std::uint64_t i = 0; i < 100; ++i) sets.add(std::vector<touch>{{i % 3, 0, 1}, {i, 1, 0}});
  std::vector<std::uint64_t> touches;
  std::vector<std::uint32_t> ends;
  for (std::uint64_t i = 100; i < 400; ++i) {
    touches.push_back(std::bit_cast<std::uint64_t>(touch{i % 2 == 0 ? i : i % 3, 0, i % 2}));
    touches.push_back(std::bit_cast<std::uint64_t>(touch{i, 1, 0}));
    ends.push_back(static_cast<std::uint32_t>(touches.size()));
  }
  CHECK(sets.add_rows(touches, ends));
  sets.give_slots({{70, 80, 90}, {}});
  CHECK(sets.is_uniform());
  std::size_t wrong = 0;
  for (std::uint64_t i = 0; i < 400; ++i) {
    const std::uint64_t slot = 70 + 10 * (i % 3);
    wrong += has_elements(sets, i, {i < 100 || i % 2 == 1 ? slot : i, i}) ? 0 : 1;
  }
  CHECK(wrong == 0);
}

TEST_CASE("elements of any number stand beside new keys", "[loop]") {
  constexpr std::uint64_t large = std::uint64_t{1} << 31;
  for (const bool key_first : {true, false}) {
    access_sets sets;
    sets.expect(2);
    const std::vector<touch> with_key{{1, 0, 1}, {5, 1, 0}};
    const std::vector<touch> with_large{{large + 1, 0, 0}, {6, 1, 0}};
    sets.add(key_first ? with_key : with_large);
    sets.add(key_first ? with_large : with_key);
    sets.give_slots({{70, 80}, {}});
    CHECK(has_elements(sets, key_first ? 0 : 1, {80, 5}));
    CHECK(has_elements(sets, key_first ? 1 : 0, {large + 1, 6}));
  }
}

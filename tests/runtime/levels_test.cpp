#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <random>
#include <vector>

#include "runtime/loop/waves/levels.hpp"
#include "tests/support/catch.hpp"

using namespace stradsap::rt;

/// `n` iterations that touch `touches` elements each, drawn with a printed seed.
static wave_sets drawn_sets(std::uint32_t n, std::uint32_t touches, std::uint32_t elements,
                            std::uint32_t seed) {
  INFO("seed " << seed);
  std::mt19937 engine(seed);
  wave_sets sets;
  for (std::uint32_t i = 0; i < n; ++i) {
    for (std::uint32_t t = 0; t < touches; ++t) sets.elements.push_back(engine() % elements);
    sets.ends.push_back(sets.elements.size());
  }
  return sets;
}

static bool share_an_element(const wave_sets& sets, std::uint32_t a, std::uint32_t b) {
  return std::any_of(sets.of(a).begin(), sets.of(a).end(), [&](std::uint32_t e) {
    return std::find(sets.of(b).begin(), sets.of(b).end(), e) != sets.of(b).end();
  });
}

TEST_CASE("a level is one above the highest of earlier iterations that share an element", "[loop]") {
  const std::uint32_t n = 300;
  const wave_sets sets = drawn_sets(n, 3, 200, 5);
  level_sorter levels(200, 900);
  levels.sort(sets);
  std::vector<std::uint32_t> level_of(n);
  std::uint32_t seen = 0;
  for (std::uint32_t l = 0; l < levels.num_levels(); ++l) {
    CHECK(std::is_sorted(levels.of(l).begin(), levels.of(l).end()));
    for (const std::uint32_t i : levels.of(l)) level_of[i] = l;
    seen += static_cast<std::uint32_t>(levels.of(l).size());
  }
  CHECK(seen == n);
  for (std::uint32_t i = 0; i < n; ++i) {
    std::uint32_t expected = 0;
    for (std::uint32_t before = 0; before < i; ++before) {
      if (share_an_element(sets, before, i)) expected = std::max(expected, level_of[before] + 1);
    }
    CHECK(level_of[i] == expected);
  }
}

TEST_CASE("the levels of a window come after those of the window before", "[loop]") {
  level_sorter levels(50, 210);
  levels.sort(drawn_sets(100, 2, 50, 1));
  const std::uint32_t first = levels.num_levels();
  CHECK(levels.base() == 0);
  levels.sort(drawn_sets(10, 1, 50, 2));
  CHECK(levels.base() == first);
  CHECK(levels.of(0).size() > 0);
}

TEST_CASE("parts take about equal shares of a level, also where all want one part", "[loop]") {
  for (const std::uint32_t width : {2u, 7u, 50u, 1000u}) {
    part_dealer dealer;
    dealer.begin(width);
    std::vector<std::uint32_t> count(num_wave_parts);
    for (std::uint32_t i = 0; i < width; ++i) {
      dealer.favour(40);
      ++count[dealer.deal()];
    }
    const std::uint32_t upper = std::accumulate(count.begin() + num_wave_parts / 2, count.end(), 0u);
    CHECK(upper >= width / 2);
    CHECK(upper <= (width + 1) / 2 + width / 8);
    CHECK(*std::max_element(count.begin(), count.end()) == dealer.highest());
  }
}

TEST_CASE("an iteration goes where its chain is", "[loop]") {
  part_dealer dealer;
  dealer.begin(64);
  dealer.favour(17);
  CHECK(dealer.deal() == 17);
  dealer.favour(3);
  dealer.favour(60);
  dealer.favour(60);
  CHECK(dealer.deal() == 60);
}

TEST_CASE("a table of few touched elements has no memory for the others", "[loop]") {
  constexpr std::uint64_t size = std::uint64_t{1} << 32;
  element_table<std::uint32_t> few(size - 16, 1000);
  element_table<std::uint32_t> all(5000, 1000);
  std::mt19937 engine(3);
  std::map<std::uint32_t, std::uint32_t> twin;
  for (std::uint32_t i = 1; i <= 1000; ++i) {
    const auto element = static_cast<std::uint32_t>(i % 2 == 0 ? engine() % (size - 16) : i);
    twin[element] += i;
    few[element] += i;
    all[element % 5000] = i;
    CHECK(all.value(element % 5000) == i);
  }
  for (const auto& [element, value] : twin) CHECK(few.value(element) == value);
  CHECK(few.value(0xffffffefu - 1) == 0);
}

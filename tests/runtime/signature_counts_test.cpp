#include "runtime/loop/blocks/signature_counts.hpp"

#include "tests/support/catch.hpp"

using namespace stradsap::rt;

namespace {

/// Two containers of four groups; cell (a, b) has count(a, b) iterations.
template <class Count> signature_counts grid(const Count& count) {
  signature_counts counts;
  for (std::uint32_t a = 0; a < 4; ++a) {
    for (std::uint32_t b = 0; b < 4; ++b) counts[{a, 4 + b}] = {count(a, b), 0};
  }
  return counts;
}

}  // namespace

TEST_CASE("neighbours are alike where groups meet more often than by their uses", "[plan]") {
  CHECK_FALSE(are_neighbours_alike(grid([](auto, auto) { return 1000u; })));
  CHECK_FALSE(are_neighbours_alike(grid([](auto a, auto b) { return 100 * (a + 1) * (b + 1); })));
  CHECK_FALSE(are_neighbours_alike(grid([](auto a, auto b) { return 1000 + 30 * ((a + b) % 2); })));
  CHECK(are_neighbours_alike(grid([](auto a, auto b) { return 1000 + 300 * ((a + b) % 2); })));
  CHECK(are_neighbours_alike(grid([](auto a, auto b) { return a == b ? 2000u : 1000u; })));
}

TEST_CASE("chance makes no neighbours alike", "[plan]") {
  CHECK_FALSE(
      are_neighbours_alike(grid([](auto a, auto b) { return 100 + 10 * ((a * 7 + b * 3) % 3) - 10; })));
  CHECK_FALSE(are_neighbours_alike({}));
  CHECK_FALSE(are_neighbours_alike({{{}, {5, 0}}}));
}

TEST_CASE("subpasses are alike if most signatures have as many iterations in both", "[plan]") {
  CHECK(are_subpasses_alike({{{0}, {100, 100}}, {{1}, {52, 48}}}));
  CHECK(are_subpasses_alike({{{0}, {100, 90}}, {{1}, {0, 10}}}));
  CHECK_FALSE(are_subpasses_alike({{{0}, {100, 0}}, {{1}, {0, 100}}}));
  CHECK_FALSE(are_subpasses_alike({{{0}, {100, 50}}, {{1}, {50, 100}}}));
}

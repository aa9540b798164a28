// Sums of the changes of shards: the same bits for any cut into ranks.
#include "runtime/loop/dynamic/shared_pieces.hpp"

#include <cmath>
#include <vector>

#include <stradsap/abi/merge.hpp>

#include "tests/support/catch.hpp"

using stradsap::rt::node_change;
using stradsap::rt::nodes_of;
using stradsap::rt::sum_of;
using nodes = std::vector<std::pair<std::size_t, std::size_t>>;

namespace {

using floats = std::vector<float>;

constexpr std::size_t num_shards = 8;

void merge_floats(void* into, const void* start, const void* end, std::size_t n) {
  stradsap::abi::merge_run(static_cast<float*>(into), static_cast<const float*>(start),
                           static_cast<const float*>(end), n);
}

stradsap::abi::element_ops ops_of_floats() {
  stradsap::abi::element_ops all{sizeof(float), alignof(float), true, true, true, {}};
  all.own.merge = &merge_floats;
  return all;
}

const stradsap::abi::element_ops& ops() {
  static const stradsap::abi::element_ops of_floats = ops_of_floats();
  return of_floats;
}

/// Ones after the changes of shard l. By rounding, each order of additions gives another sum.
floats state_of(std::size_t l) {
  floats state;
  for (std::size_t i = 0; i < 64; ++i) state.push_back(1 + std::sqrt(static_cast<float>(7 * i + 13 * l + 1)));
  return state;
}

/// The sum over the shards in `used`, as ranks that have the shards up to each of `ends` add it up.
floats sum_over(const std::vector<std::size_t>& ends, const std::vector<bool>& used) {
  const floats start(64, 1);
  std::vector<floats> states;
  for (std::size_t l = 0; l < num_shards; ++l) states.push_back(state_of(l));
  std::vector<node_change> all;
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    for (const auto& [first, span] : nodes_of(begin, end)) {
      std::vector<node_change> leaves;
      for (std::size_t l = first; l < first + span; ++l)
        if (used[l])
          leaves.push_back(
              {0, static_cast<std::uint32_t>(l), reinterpret_cast<std::byte*>(states[l].data())});
      std::byte* const sum = sum_of(leaves.data(), leaves.data() + leaves.size(), first, span, ops(), 64,
                                    reinterpret_cast<const std::byte*>(start.data()));
      if (sum != nullptr) all.push_back({0, static_cast<std::uint32_t>(first), sum});
    }
    begin = end;
  }
  const std::byte* const sum = sum_of(all.data(), all.data() + all.size(), 0, num_shards, ops(), 64,
                                      reinterpret_cast<const std::byte*>(start.data()));
  if (sum == nullptr) return {};
  const auto* const first = reinterpret_cast<const float*>(sum);
  return {first, first + 64};
}

}  // namespace

TEST_CASE("Nodes of the tree have shards as leaves and no others", "[dynamic]") {
  CHECK(nodes_of(0, 8) == nodes{{0, 8}});
  CHECK(nodes_of(0, 5) == nodes{{0, 4}, {4, 1}});
  CHECK(nodes_of(2, 5) == nodes{{2, 2}, {4, 1}});
  CHECK(nodes_of(5, 8) == nodes{{5, 1}, {6, 2}});
  CHECK(nodes_of(3, 3).empty());
}

TEST_CASE("The sum of changes has the same bits for any ranks", "[dynamic]") {
  const std::vector<std::vector<std::size_t>> cuts{
      {8}, {4, 8}, {2, 4, 6, 8}, {2, 5, 8}, {1, 2, 8}, {3, 3, 4, 7, 8}, {1, 2, 3, 4, 5, 6, 7, 8}};
  for (const std::vector<bool>& used :
       {std::vector<bool>(8, true), std::vector<bool>{true, false, true, true, false, true, false, true},
        std::vector<bool>{false, false, false, false, false, true, true, false}}) {
    const floats one = sum_over(cuts[0], used);
    REQUIRE(one.size() == 64);
    for (const auto& cut : cuts) CHECK(sum_over(cut, used) == one);
  }
  CHECK(sum_over({8}, std::vector<bool>(8, true)) != sum_over({8}, std::vector<bool>(8, false)));
  CHECK(sum_over({8}, std::vector<bool>(8, false)).empty());
}

TEST_CASE("A number that one shard alone has changed takes its value", "[dynamic]") {
  floats start{1, 2, 3}, left = start, right = start;
  left[0] = 1e30f;
  right[2] = 1e-30f;
  const node_change both[] = {{0, 0, reinterpret_cast<std::byte*>(left.data())},
                              {0, 1, reinterpret_cast<std::byte*>(right.data())}};
  (void)sum_of(both, both + 2, 0, 2, ops(), 3, reinterpret_cast<const std::byte*>(start.data()));
  CHECK(left == floats{1e30f, 2, 1e-30f});
}

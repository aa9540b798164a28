// Labels of iterations: one for each signature and subpass.
#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "runtime/loop/blocks/block_labels.hpp"
#include "tests/support/catch.hpp"

using namespace stradsap::rt;

constexpr std::uint64_t labelled_elements = 1000;  // of each container

/// Containers of `groups` groups each.
static std::vector<token_table> tokens_for_labels(std::uint32_t containers, std::uint32_t groups) {
  std::vector<token_table> tokens;
  for (std::uint32_t c = 0; c < containers; ++c) {
    std::vector<std::uint64_t> bounds;
    for (std::uint64_t g = 1; g <= groups; ++g) bounds.push_back(labelled_elements * g / groups);
    tokens.push_back({c * groups, group_index(partition(bounds, std::vector<rank_id>(groups)))});
  }
  return tokens;
}

static std::vector<std::uint32_t> signature_by_sorting(const std::vector<touch>& set,
                                                       const std::vector<token_table>& tokens) {
  std::vector<std::uint32_t> signature;
  for (const touch& t : set)
    signature.push_back(tokens[t.capture].first + tokens[t.capture].groups[t.element]);
  std::sort(signature.begin(), signature.end());
  signature.erase(std::unique(signature.begin(), signature.end()), signature.end());
  return signature;
}

static void check_labels(const std::vector<std::vector<touch>>& iterations,
                         const std::vector<token_table>& tokens) {
  access_sets sets;
  sets.expect(iterations.size());
  for (const std::vector<touch>& set : iterations) sets.add(set);
  const std::uint64_t half = iterations.size() / 2;
  block_labels labels(sets, tokens, half);
  std::vector<std::uint32_t> counts(labels.num_labels());
  std::size_t wrong = 0;
  for (std::uint64_t i = 0; i < iterations.size(); ++i) {
    const std::uint32_t label = labels.of_iterations()[i];
    ++counts[label];
    wrong += labels.signature(label) != signature_by_sorting(iterations[i], tokens) ||
             block_labels::subpass(label) != (i < half ? 0 : 1);
  }
  CHECK(wrong == 0);
  for (std::uint32_t l = 0; l < labels.num_labels(); ++l) CHECK(labels.count(l) == counts[l]);
}

TEST_CASE("labels tell signature and subpass", "[loop]") {
  std::mt19937 engine(11);
  const auto drawn = [&](std::uint32_t n, std::uint32_t width, std::uint32_t containers, bool is_uniform) {
    std::vector<std::vector<touch>> iterations(n);
    for (std::vector<touch>& set : iterations) {
      const std::uint32_t touches = is_uniform ? width : 1 + engine() % width;
      for (std::uint32_t t = 0; t < touches; ++t)
        set.push_back({engine() % labelled_elements, t % containers, 0});
    }
    return iterations;
  };
  SECTION("of rows") { check_labels(drawn(5000, 2, 2, true), tokens_for_labels(2, 16)); }
  SECTION("of rows with two touches of a container") {
    check_labels(drawn(5000, 4, 2, true), tokens_for_labels(2, 4));
  }
  SECTION("of wide rows in few signatures") {
    std::vector<std::vector<touch>> iterations = drawn(5000, 2, 2, true);
    for (std::vector<touch>& set : iterations) {
      for (std::uint32_t c = 2; c < 12; ++c) set.push_back({set[c % 2].element, c, 0});
    }
    check_labels(iterations, tokens_for_labels(12, 16));
  }
  SECTION("of rows in too many signatures for a tree") {
    check_labels(drawn(5000, 6, 6, true), tokens_for_labels(6, 500));
  }
  SECTION("of sets that differ") { check_labels(drawn(5000, 3, 3, false), tokens_for_labels(3, 8)); }
  SECTION("of empty sets") { check_labels(std::vector<std::vector<touch>>(10), {}); }
}

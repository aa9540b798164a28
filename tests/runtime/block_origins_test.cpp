// Counts of blocks that several ranks have parts of, and the size of a rank's tables of them.
#include "runtime/loop/blocks/block_origins.hpp"

#include <atomic>
#include <utility>
#include <vector>

#include "runtime/loop/blocks/total_counts.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/thread_ranks.hpp"

using namespace stradsap::rt;
using stradsap::test::num_ranks;
using stradsap::test::thread_ranks;

static std::vector<plan_block> blocks_in_turn(std::size_t n, rank_id ranks) {
  std::vector<plan_block> blocks(n);
  for (std::size_t b = 0; b < n; ++b) blocks[b].rank = static_cast<rank_id>(b) % ranks;
  return blocks;
}

TEST_CASE("a rank learns how many iterations of its blocks each rank has", "[blocks]") {
  thread_ranks ranks;
  const std::vector<plan_block> blocks = blocks_in_turn(8, num_ranks);
  std::atomic<int> wrong = 0;
  ranks.run([&](rank_id self) {
    std::vector<std::uint32_t> own;
    for (std::uint32_t b = 0; b < 8; ++b) own.push_back(100 * static_cast<std::uint32_t>(self) + b);
    const block_destinations to(blocks, num_ranks);
    const block_origins origins(ranks.of(self), to, own);
    wrong += origins.own() != own;
    for (rank_id r = 0; r < num_ranks; ++r) {
      std::vector<std::uint32_t> expected;
      for (const std::uint32_t b : to.blocks_of(self))
        expected.push_back(100 * static_cast<std::uint32_t>(r) + b);
      wrong += origins.from(r) != expected;
    }
  });
  CHECK(wrong == 0);
}

TEST_CASE("iterations of a kept plan come from the ranks that ran their blocks", "[blocks]") {
  const std::vector<plan_block> after = blocks_in_turn(6, 2);
  std::vector<plan_block> before(6);
  for (std::size_t b = 0; b < 6; ++b) {
    before[b].rank = b < 3 ? 0 : 1;
    before[b].count = 10 + b;
  }
  const block_destinations to(after, 2);
  const block_origins origins(0, to, before);
  CHECK(origins.own() == std::vector<std::uint32_t>{10, 11, 12, 0, 0, 0});
  CHECK(origins.from(0) == std::vector<std::uint32_t>{10, 12, 0});
  CHECK(origins.from(1) == std::vector<std::uint32_t>{0, 0, 14});
}

TEST_CASE("with a million blocks on 64 ranks a rank has 8 MB of counts, not 256", "[blocks]") {
  constexpr std::size_t n = 1'000'000;
  std::vector<plan_block> before = blocks_in_turn(n, 64);
  const block_destinations to(blocks_in_turn(n, 64), 64);
  const block_origins kept(7, to, before);
  CHECK(kept.size_bytes() == 2 * n * sizeof(std::uint32_t));
  // The same of counts that ranks exchange, of fewer blocks, since here all ranks share one memory.
  constexpr std::size_t fewer = n / 50;
  const block_destinations of_fewer(blocks_in_turn(fewer, 64), 64);
  thread_ranks ranks(64);
  std::atomic<std::size_t> most = 0;
  ranks.run([&](rank_id self) {
    const block_origins origins(ranks.of(self), of_fewer, std::vector<std::uint32_t>(fewer, 1));
    for (std::size_t seen = most;
         seen < origins.size_bytes() && !most.compare_exchange_weak(seen, origins.size_bytes());) {
    }
  });
  CHECK(most <= 2 * (fewer + 64) * sizeof(std::uint32_t));
}

TEST_CASE("all ranks add up the counts of all, also of lists that come in pieces", "[blocks]") {
  thread_ranks ranks;
  constexpr std::uint32_t many = 30'000;  // some hundred kilobytes
  std::vector<total_counts> found(num_ranks);
  ranks.run([&](rank_id self) {
    const auto rank = static_cast<std::uint32_t>(self);
    signature_counts mine;
    mine[{}] = {1, rank};
    for (std::uint32_t s = 0; s < many * rank; ++s) mine[{s, s + 1 + s % 2}] = {1, s};
    const touch_pattern pattern =
        self == 0 ? touch_pattern() : touch_pattern(std::vector<std::uint32_t>{4, 5});
    found[rank] = add_up(ranks.of(self), mine, pattern);
  });
  for (const total_counts& one : found) {
    CHECK(one.pattern == std::vector<std::uint32_t>{4, 5});
    CHECK(one.counts.size() == 2 * many + 1);
    CHECK(one.counts.at({}) == per_subpass{3, 3});
    CHECK(one.counts.at({7, 9}) == per_subpass{2, 14});
    CHECK(one.counts.at({many, many + 1}) == per_subpass{1, many});
  }
}

TEST_CASE("ranks whose iterations touch different captures have no pattern", "[blocks]") {
  thread_ranks ranks;
  std::atomic<int> with_pattern = 0;
  ranks.run([&](rank_id self) {
    const touch_pattern pattern(std::vector<std::uint32_t>{static_cast<std::uint32_t>(self)});
    with_pattern += add_up(ranks.of(self), {}, pattern).pattern.empty() ? 0 : 1;
  });
  CHECK(with_pattern == 0);
}

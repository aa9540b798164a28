#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "runtime/dds/partition.hpp"
#include "runtime/loop/plan/group_sizes.hpp"
#include "runtime/loop/plan/plan.hpp"
#include "tests/support/catch.hpp"

using namespace stradsap::rt;

/// The plan of a factorization with g x g groups and `count` iterations in each block.
static plan grid(std::uint32_t g, std::uint64_t count) {
  plan p;
  for (std::uint32_t c = 0; c < 2; ++c) {
    for (std::uint32_t k = 0; k < g; ++k) p.tokens.push_back({c, k});
  }
  for (std::uint32_t round = 0; round < g; ++round) {
    p.round_begins.push_back(static_cast<std::uint32_t>(p.order.size()));
    for (std::uint32_t a = 0; a < g; ++a) {
      p.order.push_back(static_cast<std::uint32_t>(p.blocks.size()));
      p.blocks.push_back({static_cast<std::uint32_t>(p.block_tokens.size()), 2, count, 0, 0, 0});
      p.block_tokens.push_back(a);
      p.block_tokens.push_back(g + (round + g - a) % g);
    }
  }
  return p;
}

TEST_CASE("groups follow each other, and an element is in the one whose range holds it", "[dds]") {
  const partition p({3, 3, 10}, {0, 1, 2});
  CHECK(p.group_of(0) == 0);
  CHECK(p.group_of(2) == 0);
  CHECK(p.group_of(3) == 2);
  CHECK(p.count(1) == 0);
  CHECK(p.elements_of(2) == 7);
}

TEST_CASE("a container that grows on the driver keeps its groups, one that shrinks loses whole ones",
          "[dds]") {
  partition p({4, 8}, {1, 2});
  p.append(12);
  p.extend(13);
  CHECK(p.bounds() == std::vector<std::uint64_t>{4, 8, 13});
  CHECK(p.owner(2) == driver_rank);
  p.shrink(6);
  CHECK(p.bounds() == std::vector<std::uint64_t>{4, 6});
  p.shrink(0);
  CHECK(p.bounds() == std::vector<std::uint64_t>{0});
}

TEST_CASE("groups are a power of two that leaves iterations to blocks and elements to groups", "[loop]") {
  CHECK(number_of_groups(900188, 2, 6040) == 16);
  CHECK(number_of_groups(10'000'000, 2, 69878) == 64);
  CHECK(number_of_groups(10'000, 2, 6040) == 8);
  CHECK(number_of_groups(100, 1, 1000) == 1);
  CHECK(number_of_groups(1'000'000'000, 1, 20) == 4);
  CHECK(number_of_groups(~std::uint64_t{0}, 1, ~std::uint64_t{0}) == 1024);
}

TEST_CASE("each pass has every block once, in another order, by seed and pass alone", "[loop]") {
  const plan p = grid(8, 100);
  std::set<std::vector<std::uint32_t>> orders;
  for (std::uint64_t pass = 0; pass < 20; ++pass) {
    std::vector<std::uint32_t> order = serial_order(p, pass, 7);
    CHECK(order == serial_order(p, pass, 7));
    orders.insert(order);
    std::sort(order.begin(), order.end());
    std::vector<std::uint32_t> every(p.blocks.size());
    std::iota(every.begin(), every.end(), 0);
    CHECK(order == every);
  }
  CHECK(orders.size() > 4);
}

TEST_CASE("placement gives every executor about its share and keeps a group of the heavy container in place",
          "[loop]") {
  plan p = grid(16, 100);
  std::vector<std::uint64_t> weights(32, 1000);
  std::fill(weights.begin() + 16, weights.end(), 10);
  place(p, weights, 2, 2);
  std::map<std::pair<int, int>, std::uint64_t> work;
  std::map<std::uint32_t, std::set<std::pair<int, int>>> anchor_groups;
  for (const plan_block& b : p.blocks) {
    work[{b.rank, b.executor}] += b.count;
    anchor_groups[p.tokens_of(b)[0]].insert({b.rank, b.executor});
  }
  CHECK(work.size() == 4);
  for (const auto& [executor, count] : work) CHECK(count == 16u * 16u * 100u / 4u);
  for (const auto& [group, executors] : anchor_groups) CHECK(executors.size() == 1);
}

TEST_CASE("blocks with a known work are placed by it, until ranks have shares", "[loop]") {
  plan p;
  for (std::uint64_t b = 0; b < 4; ++b) p.blocks.push_back({.count = 10, .begin = 10 * b});
  p.work = {300, 100, 100, 100};
  const auto ranks = [&] {
    std::vector<rank_id> of_blocks;
    for (const plan_block& b : p.blocks) of_blocks.push_back(b.rank);
    return of_blocks;
  };
  place(p, {}, 2, 1);
  CHECK(ranks() == std::vector<rank_id>{0, 1, 1, 1});
  place(p, {}, 2, 1, {20, 40});
  CHECK(ranks() == std::vector<rank_id>{0, 0, 1, 1});
}

TEST_CASE("blocks are dealt to accumulators alike on any workers, and executors take whole accumulators",
          "[loop]") {
  const std::vector<std::uint64_t> weights(32, 1000);
  std::vector<std::uint32_t> first;
  const std::vector<std::pair<int, int>> shapes{{1, 1}, {1, 3}, {3, 1}, {4, 2}, {40, 4}};
  for (const auto& [ranks, threads] : shapes) {
    plan p = grid(16, 100);
    p.num_accumulators = 8;
    place(p, weights, ranks, threads);
    std::map<std::uint32_t, std::set<std::pair<int, int>>> executors;
    std::vector<std::uint32_t> dealt;
    for (const plan_block& b : p.blocks) {
      dealt.push_back(b.accumulator);
      executors[b.accumulator].insert({b.rank, b.executor});
      CHECK(p.accumulator_ranks[b.accumulator] == b.rank);
    }
    for (const auto& [accumulator, who] : executors) CHECK(who.size() == 1);
    CHECK(executors.size() == 8);
    CHECK(longest_queue(p) == 16u * 16u * 100u / 8u);
    if (first.empty()) first = dealt;
    CHECK(dealt == first);
  }
}

TEST_CASE("a round has a part of the blocks of each accumulator, in serial order", "[loop]") {
  plan p = grid(16, 100);
  p.num_accumulators = 8;
  place(p, std::vector<std::uint64_t>(p.tokens.size(), 1), 1, 1);
  const auto order = serial_order(p, 3, 5);
  const auto rounds = rounds_of(p, order, 4);
  REQUIRE(rounds.size() == 4);
  std::set<std::uint32_t> all;
  for (const auto& round : rounds) {
    std::map<std::uint32_t, std::uint64_t> blocks;
    for (const std::uint32_t b : round) ++blocks[p.blocks[b].accumulator];
    CHECK(blocks.size() == 8);
    for (const auto& [accumulator, count] : blocks) CHECK(count == 8);
    for (std::size_t k = 1; k < round.size(); ++k)
      CHECK(std::find(order.begin(), order.end(), round[k - 1]) <
            std::find(order.begin(), order.end(), round[k]));
    all.insert(round.begin(), round.end());
  }
  CHECK(all.size() == p.blocks.size());
  CHECK(rounds_of(p, order, 1000).size() == 32);  // as an accumulator has blocks
}

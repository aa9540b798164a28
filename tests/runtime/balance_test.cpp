#include <algorithm>
#include <cstdint>
#include <vector>

#include "runtime/loop/blocks/range_pieces.hpp"
#include "runtime/loop/plan/share_balance.hpp"
#include "runtime/loop/plan/wave_plan.hpp"
#include "tests/support/catch.hpp"

using namespace stradsap::rt;

using ends = std::vector<std::uint64_t>;

/// Blocks of `count` iterations each, on equal shares of `ranks` ranks.
static plan plan_of(std::uint32_t blocks, std::uint64_t count, int ranks, bool listed) {
  plan p;
  p.listed = listed;
  for (std::uint32_t b = 0; b < blocks; ++b) {
    p.order.push_back(b);
    p.blocks.push_back({0, 0, count, 0, 0, b * count});
  }
  place(p, {}, ranks, 1);
  return p;
}

static std::vector<rank_load> loads_of(const plan& p, const std::vector<double>& seconds) {
  std::vector<rank_load> loads(seconds.size());
  for (const plan_block& b : p.blocks) loads[static_cast<std::size_t>(b.rank)].iterations += b.count;
  for (std::size_t r = 0; r < seconds.size(); ++r) loads[r].seconds = seconds[r];
  return loads;
}

/// Launches on the ranks that own the blocks; block b takes `seconds[b]`.
static void run_loop(share_balance& balance, plan& p, const std::vector<float>& seconds, int ranks) {
  if (p.shares != balance.shares()) place(p, p.weights, ranks, 1, balance.shares());
  std::vector<double> of_rank(static_cast<std::size_t>(ranks));
  for (std::size_t b = 0; b < seconds.size(); ++b)
    of_rank[static_cast<std::size_t>(p.blocks[b].rank)] += static_cast<double>(seconds[b]);
  balance.note(p, loads_of(p, of_rank), seconds);
}

TEST_CASE("a block that takes longer is cut into more pieces, which are the same iterations", "[loop]") {
  const std::vector<block_piece> whole{{0, 0, 0, 100}, {1, 0, 100, 100}, {2, 1, 200, 100}};
  const std::vector<float> seconds{0.9f, 0.05f, 0.05f};
  const std::vector<block_piece> cut = cut_by_work(whole, seconds, 2);
  REQUIRE(cut.size() == 14 + 2);
  std::uint64_t at = 0;
  std::vector<std::uint64_t> by_executor(2);
  for (const block_piece& piece : cut) {
    CHECK(piece.begin == at);
    CHECK(piece.block == at / 100);
    at += piece.count;
    if (piece.block == 0) by_executor[static_cast<std::size_t>(piece.executor)] += piece.count;
  }
  CHECK(at == 300);
  CHECK(by_executor[0] > 50);
  CHECK(by_executor[1] > 35);
}

TEST_CASE("pieces that are cut follow the work within a block, and end as one where there is little",
          "[loop]") {
  const std::vector<block_piece> halves{{7, 0, 0, 50}, {7, 0, 50, 50}};
  const std::vector<block_piece> cut = cut_by_work(halves, std::vector<float>{0.3f, 0.1f}, 2);
  REQUIRE(cut.size() == 16);
  CHECK(cut[11].begin + cut[11].count == 50);
  CHECK(cut[12].count == 12);
  const std::vector<block_piece> joined = cut_by_work(halves, std::vector<float>{1e-6f, 1e-6f}, 2);
  REQUIRE(joined.size() == 1);
  CHECK(joined[0].count == 100);
}

TEST_CASE("one iteration that has most to do is a piece alone", "[loop]") {
  std::vector<block_piece> pieces{{0, 0, 0, 64}};
  for (int launch = 0; launch < 6; ++launch) {
    std::vector<float> seconds;
    for (const block_piece& piece : pieces) {
      const bool is_first = piece.begin == 0;
      seconds.push_back(0.001f * static_cast<float>(piece.count) + (is_first ? 1.0f : 0.0f));
    }
    pieces = cut_by_work(pieces, seconds, 2);
  }
  CHECK(pieces[0].count == 1);
  CHECK(pieces[0].executor == 0);
  CHECK(pieces.back().executor == 1);
}

TEST_CASE("blocks are placed by the shares of ranks, executors that add by nobody's", "[loop]") {
  plan p = plan_of(100, 10, 2, false);
  place(p, {}, 2, 2, {250, 1000});
  std::vector<std::uint64_t> of_executor(4);
  for (const plan_block& b : p.blocks)
    of_executor[static_cast<std::size_t>(2 * b.rank + b.executor)] += b.count;
  CHECK(of_executor[0] + of_executor[1] == 250);
  CHECK(of_executor[2] + of_executor[3] == 750);
  CHECK(std::max(of_executor[2], of_executor[3]) <= 380);
  p.num_accumulators = 8;
  place(p, {}, 2, 2);
  std::vector<std::uint32_t> dealt;
  for (const plan_block& b : p.blocks) dealt.push_back(b.accumulator);
  place(p, {}, 2, 2, {250, 1000});
  std::uint64_t first = 0;
  for (std::size_t b = 0; b < dealt.size(); ++b) {
    CHECK(p.blocks[b].accumulator == dealt[b]);
    CHECK(p.accumulator_ranks[dealt[b]] == p.blocks[b].rank);
    first += p.blocks[b].rank == 0 ? p.blocks[b].count : 0;
  }
  CHECK(first == 250);
  place(p, {}, 2, 1, {0, 1000});
  for (const plan_block& b : p.blocks) CHECK(b.rank == 1);
}

TEST_CASE("shares of other numbers of ranks or iterations are none", "[loop]") {
  const plan even = plan_of(10, 100, 1, true);
  for (const ends& other : {ends{40, 1000}, ends{64}}) {
    const std::vector<block_place> places = places_of_blocks(even, {}, 1, 2, other);
    for (std::size_t b = 0; b < places.size(); ++b) {
      CHECK(places[b].rank == 0);
      CHECK(places[b].executor == (b < 5 ? 0 : 1));
    }
  }
}

TEST_CASE("a rank that is late in several launches gets a share by its rate", "[loop]") {
  const plan p = plan_of(100, 100, 2, true);
  share_balance balance(10000, 2, 1);
  const std::vector<rank_load> loads = loads_of(p, {0.01, 0.03});
  balance.note(p, loads, {});
  CHECK(balance.shares().empty());
  for (int launch = 0; launch < 10; ++launch) balance.note(p, loads, {});
  REQUIRE(balance.shares().size() == 2);
  CHECK(balance.shares() == ends{7500, 10000});
}

TEST_CASE("shares stay where nobody is late, or each in turn, or by less than a change costs", "[loop]") {
  const plan p = plan_of(100, 100, 2, true);
  share_balance balance(10000, 2, 1);
  for (int launch = 0; launch < 100; ++launch) {
    balance.note(p, loads_of(p, {0.0100, 0.0105}), {});
    balance.note(p, loads_of(p, {0.00001, 0.00005}), {});
    const bool odd = launch % 2 == 1;
    balance.note(p, loads_of(p, {odd ? 0.02 : 0.01, odd ? 0.01 : 0.02}), {});
  }
  CHECK(balance.shares().empty());
  balance.note(p, loads_of(p, {0.010, 0.0124}), {});
  balance.note(p, loads_of(p, {0.010, 0.0124}), {});
  CHECK(balance.shares().empty());  // the loss so far is less than the cost of a change
}

TEST_CASE("a rank that is too slow for a single group stays without, and is tried again rarely", "[loop]") {
  plan p;
  p.listed = true;
  for (std::uint32_t b = 0; b < 4; ++b) p.blocks.push_back({0, 0, 100, 0, 0, 100 * b});
  place(p, {}, 2, 1);
  share_balance balance(400, 2, 1);
  int moves = 0;
  for (int k = 0; k < 1000; ++k) {
    if (p.shares != balance.shares()) {
      place(p, {}, 2, 1, balance.shares());
      ++moves;
    }
    std::vector<rank_load> loads = loads_of(p, {0, 0});
    loads[0].seconds = 0.0001 * static_cast<double>(loads[0].iterations);
    loads[1].seconds = 0.01 * static_cast<double>(loads[1].iterations);
    balance.note(p, loads, {});
  }
  CHECK(p.blocks[3].rank == 0);
  CHECK(moves >= 1);
  CHECK(moves < 12);
}

TEST_CASE("ranges are cut by what they took, until ranks take the same", "[loop]") {
  plan p = plan_of(100, 100, 3, false);
  std::vector<float> seconds(100, 0.0001f);
  for (std::size_t b = 0; b < 10; ++b) seconds[b] = 0.002f;
  share_balance balance(10000, 3, 1);
  for (int k = 0; k < 60; ++k) run_loop(balance, p, seconds, 3);
  REQUIRE(balance.shares().size() == 3);
  std::vector<float> of_rank(3);
  for (std::size_t b = 0; b < seconds.size(); ++b)
    of_rank[static_cast<std::size_t>(p.blocks[b].rank)] += seconds[b];
  for (const float one : of_rank) CHECK(one < 0.029f / 3 * 1.3f);
}

TEST_CASE("where no cut helps, ranges stay", "[loop]") {
  plan p = plan_of(100, 100, 2, false);
  std::vector<float> seconds(100, 0.00001f);
  seconds[0] = 0.05f;
  share_balance balance(10000, 2, 1);
  for (int k = 0; k < 200; ++k) run_loop(balance, p, seconds, 2);
  CHECK(balance.shares().empty());
}

TEST_CASE("executors take the runs of parts that their shares say, whole, and any shares but theirs are none",
          "[loop]") {
  const ends shares{10, 10, 50, 64};
  std::vector<std::uint32_t> taken(4);
  for (std::uint32_t part = 0; part < num_wave_parts; ++part) {
    const wave_place at = place_of_part(part, 0, 2, 2, shares);
    const std::uint32_t executor = 2 * static_cast<std::uint32_t>(at.rank) + at.thread;
    CHECK((part < shares[executor] && (executor == 0 || part >= shares[executor - 1])));
    ++taken[executor];
  }
  CHECK(taken == std::vector<std::uint32_t>{10, 0, 40, 14});
  const ends thirds{1, 3};  // three adding accumulators, with 22, 21 and 21 parts
  for (std::uint32_t part = 0; part < num_wave_parts; ++part) {
    CHECK(place_of_part(part, 3, 2, 1, thirds).rank == (part < 22 ? 0 : 1));
    for (const ends& other : {ends{32, 64, 64}, ends{5000, 10000}}) {
      CHECK(place_of_part(part, 0, 2, 1, other).rank == place_of_part(part, 0, 2, 1).rank);
    }
  }
}

/// Launches of 64 parts, each on the executor that owns it; returns how often their places changed.
static int run_things(share_balance& balance, const std::vector<float>& seconds, bool each_timed, double cost,
                      int launches) {
  int changes = 0;
  for (int launch = 0; launch < launches; ++launch) {
    const ends before = balance.shares();
    std::vector<int> executors;
    for (std::uint32_t part = 0; part < seconds.size(); ++part)
      executors.push_back(static_cast<int>(place_of_part(part, 0, 1, 2, before).thread));
    balance.note(executors, seconds, each_timed, {.cost = cost});
    changes += balance.shares() != before ? 1 : 0;
  }
  return changes;
}

TEST_CASE("parts are dealt out by their times at once, when what is lost is more than a new plan", "[loop]") {
  std::vector<float> seconds(64, 0.001f);
  for (std::size_t part = 0; part < 8; ++part) seconds[part] = 0.01f;  // 104 and 32 ms
  share_balance balance(64, 2, 1);
  CHECK(run_things(balance, seconds, true, 0.3, 8) == 0);
  CHECK(balance.is_late());
  CHECK(run_things(balance, seconds, true, 0.3, 40) == 1);
  CHECK(balance.shares() == ends{7, 64});
  CHECK(!balance.is_late());
}

TEST_CASE("where a change costs every launch something, shares stay unless a rank is very late", "[loop]") {
  const share_change change{.cost = 0, .least_excess = 0.5};
  share_balance balance(2, 2, 1);
  const std::vector<int> ranks{0, 1};
  for (int launch = 0; launch < 20; ++launch)
    balance.note(ranks, std::vector<float>{0.01f, 0.028f}, true, change);
  CHECK(!balance.is_late());
  balance.note(ranks, std::vector<float>{0.01f, 0.032f}, true, change);
  CHECK(balance.is_late());
}

TEST_CASE("parts stay until each has been timed, and where executors take the same", "[loop]") {
  std::vector<float> seconds(64, 0.001f);
  share_balance balance(64, 2, 1);
  CHECK(run_things(balance, seconds, true, 0, 100) == 0);
  seconds[3] = 0.02f;
  CHECK(run_things(balance, seconds, false, 0, 100) == 0);
  CHECK(balance.is_late());
  CHECK(run_things(balance, seconds, true, 0, 1) == 1);
}

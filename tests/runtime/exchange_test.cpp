#include <algorithm>
#include <atomic>
#include <future>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <stradsap/error.hpp>

#include "runtime/net/exchange.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/mesh.hpp"

using namespace stradsap::rt;

static std::vector<std::unique_ptr<exchange>> exchanges_over(mesh& m, rank_id ranks) {
  std::vector<std::unique_ptr<exchange>> all;
  for (rank_id r = 0; r < ranks; ++r) {
    transport* const net = m.nets[static_cast<std::size_t>(r)].get();
    all.push_back(std::make_unique<exchange>(r, ranks, net, wait_policy{/*cores_to_spare=*/true, net}));
    m.ears[static_cast<std::size_t>(r)].collectives = all.back().get();
  }
  return all;
}

TEST_CASE("a collective step carries much and little at once", "[exchange]") {
  constexpr rank_id ranks = 3;
  std::vector<std::unique_ptr<exchange>> all;  // they receive messages until the mesh ends
  mesh m(ranks, any_medium());
  all = exchanges_over(m, ranks);
  // From 0 bytes to megabytes. Each byte depends on its position.
  const auto part_for = [](rank_id from, rank_id to) {
    bytes one(static_cast<std::size_t>(from * to) * 1'500'001);
    for (std::size_t i = 0; i < one.size(); ++i) one[i] = static_cast<std::byte>(i / 1000 + i);
    return one;
  };
  std::vector<std::future<bool>> work;
  for (rank_id r = 0; r < ranks; ++r) {
    work.push_back(std::async(std::launch::async, [&, r] {
      exchange& x = *all[static_cast<std::size_t>(r)];
      x.begin(launch_id{1});
      bool right = true;
      for (int step = 0; step < 3; ++step) {
        std::vector<bytes> out;
        for (rank_id to = 0; to < ranks; ++to) out.push_back(part_for(r, to));
        const std::vector<bytes> in = x.all_to_all(std::move(out));
        for (rank_id from = 0; from < ranks; ++from)
          right = right && in[static_cast<std::size_t>(from)] == part_for(from, r);
      }
      return right;
    }));
  }
  for (auto& one : work) CHECK(one.get());
}

TEST_CASE("collectives keep their steps apart, and one rank's failure is everybody's", "[exchange]") {
  const int ranks = GENERATE(1, 3);
  std::vector<std::unique_ptr<exchange>> all;
  mesh m(ranks == 1 ? 2 : ranks, any_medium());
  all = exchanges_over(m, ranks);
  std::vector<std::future<bool>> work;
  for (rank_id r = 0; r < ranks; ++r) {
    work.push_back(std::async(std::launch::async, [&, r] {
      exchange& x = *all[static_cast<std::size_t>(r)];
      x.begin(launch_id{1});
      bool right = true;
      for (int step = 0; step < 50; ++step) {
        const auto in = x.all_gather(bytes(static_cast<std::size_t>(10 * step + r)));
        for (rank_id from = 0; from < ranks; ++from) {
          right = right &&
                  in[static_cast<std::size_t>(from)].size() == static_cast<std::size_t>(10 * step + from);
        }
      }
      if (ranks == 1) return right;
      if (r == 1) {
        x.give_up("rank 1 cannot");
        return right;
      }
      try {
        (void)x.all_gather({});
      } catch (const stradsap::error& e) {
        return right && std::string(e.what()) == "rank 1 cannot";
      }
      return false;
    }));
  }
  // Rank 1 took no part in the last step, so ranks 0 and 2 learn of each other and of the failure.
  for (auto& one : work) CHECK(one.get());
}

TEST_CASE("ranks that send each other nothing do not wait for each other", "[exchange]") {
  constexpr rank_id ranks = 2;
  std::vector<std::unique_ptr<exchange>> all;
  mesh m(ranks, any_medium());
  all = exchanges_over(m, ranks);
  pairs_of_ranks from_0(ranks);
  from_0.add(0, 1);
  const std::vector<bytes> three(2, bytes(3));
  all[0]->begin(launch_id{1});
  all[1]->begin(launch_id{1});
  CHECK(all[0]->all_to_all(three, from_0)[1].empty());  // rank 1 has not come to this step
  CHECK(all[1]->all_to_all(std::vector<bytes>(2), from_0)[0] == three[0]);

  // Rank 0 learns of the failure in a later step than that in which rank 1 gave up.
  all[1]->give_up("rank 1 cannot");
  const auto later = [&] {
    (void)all[0]->all_to_all(three, from_0);
    (void)all[0]->all_gather({});
  };
  CHECK_THROWS_WITH(later(), "rank 1 cannot");
}

TEST_CASE("a step that waits for a rank that has left fails", "[exchange]") {
  constexpr rank_id ranks = 2;
  std::vector<std::unique_ptr<exchange>> all;
  mesh m(ranks, any_medium());
  all = exchanges_over(m, ranks);
  all[0]->begin(launch_id{1});
  const bool leaves_before = GENERATE(false, true);
  if (leaves_before) all[0]->departed(1);
  auto gathered = std::async(std::launch::async, [&] { return all[0]->all_gather({}); });
  while (!leaves_before && all[0]->awaits().empty()) std::this_thread::yield();
  if (!leaves_before) all[0]->departed(1);
  CHECK_THROWS_WITH(gathered.get(), "rank 1 has left");
}

TEST_CASE("a rank that sends much and gets little goes at the pace of the receiver", "[exchange]") {
  constexpr std::uint64_t size = 64 << 20;
  constexpr std::uint64_t most = 3 << 20;  // that is sent, and not taken yet
  const std::uint64_t back = GENERATE(std::uint64_t{0}, std::uint64_t{3} << 20);
  const bool both_ways = back > 0 || GENERATE(true, false);
  std::vector<std::unique_ptr<exchange>> all;
  mesh m(2, any_medium());
  all = exchanges_over(m, 2);
  pairs_of_ranks pairs(2);
  pairs.add(0, 1);
  if (both_ways) pairs.add(1, 0);
  std::atomic<std::uint64_t> sent{0};
  const auto next = [&](rank_id to, std::size_t piece) {
    if (to == 1) sent += piece;
    return bytes(piece);
  };
  for (auto& one : all) one->begin(launch_id{1});
  std::uint64_t came_back = 0;
  std::atomic<bool> has_ended{false};
  auto sender = std::async(std::launch::async, [&] {
    all[0]->trade(
        {0, size}, next, [&](rank_id, auto piece, std::uint64_t) { came_back += piece.size(); }, pairs);
    has_ended = true;
  });
  while (all[0]->awaits().empty() && !has_ended) std::this_thread::yield();
  CHECK(sent <= most);
  std::uint64_t taken = 0, most_ahead = 0;
  const auto take = [&](rank_id, std::span<const std::byte> piece, std::uint64_t) {
    most_ahead = std::max(most_ahead, sent - taken);
    taken += piece.size();
  };
  all[1]->trade({back, 0}, next, take, pairs);
  sender.get();
  CHECK(taken == size);
  CHECK(came_back == back);
  CHECK(most_ahead <= most);
}

TEST_CASE("posted bytes wait for their step, in whichever order steps are collected", "[exchange]") {
  constexpr rank_id ranks = 2;
  std::vector<std::unique_ptr<exchange>> all;
  mesh m(ranks, any_medium());
  all = exchanges_over(m, ranks);
  for (auto& one : all) one->begin(launch_id{1});
  const pairs_of_ranks everyone = pairs_of_ranks::all(ranks);
  const auto first = all[0]->next_step();
  bytes large(1'000'001);
  for (std::size_t i = 0; i < large.size(); ++i) large[i] = static_cast<std::byte>(i / 1000 + i);
  CHECK_FALSE(all[1]->has_come(first, everyone));
  all[0]->post(first, 1, large);
  all[0]->post(first + 1, 1, {});
  CHECK(all[1]->collect(first + 1, everyone)[0].empty());
  CHECK(all[1]->has_come(first, everyone));
  CHECK(all[1]->collect(first, everyone)[0] == large);
  all[1]->give_up("rank 1 cannot");
  CHECK_THROWS_AS(all[0]->collect(first + 7, everyone), rank_gave_up);
  CHECK(all[0]->has_come(first + 7, everyone));
}

TEST_CASE("a failure in one launch does not end the next", "[exchange]") {
  constexpr rank_id ranks = 2;
  std::vector<std::unique_ptr<exchange>> all;
  mesh m(ranks, any_medium());
  all = exchanges_over(m, ranks);
  for (auto& one : all) one->begin(launch_id{1});
  all[1]->give_up("rank 1 cannot");
  CHECK_THROWS_AS(all[0]->all_gather({}), rank_gave_up);
  std::vector<std::future<std::size_t>> work;
  for (rank_id r = 0; r < ranks; ++r) {
    work.push_back(std::async(std::launch::async, [&, r] {
      all[static_cast<std::size_t>(r)]->begin(launch_id{2});
      return all[static_cast<std::size_t>(r)]->all_gather(bytes(5)).at(1).size();
    }));
  }
  for (auto& one : work) CHECK(one.get() == 5);
}

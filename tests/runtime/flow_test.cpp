#include <limits>
#include <vector>

#include <stradsap/error.hpp>

#include "runtime/base/simulated_cluster.hpp"
#include "runtime/observe/flow.hpp"
#include "tests/support/catch.hpp"

using namespace stradsap::rt;

static simulated_cluster cluster(int ranks, int threads) {
  return {ranks, threads, std::numeric_limits<double>::infinity(), 0};
}

/// One task of one second on each executor, rank by rank.
static flow one_each(int ranks, int threads) {
  flow f;
  for (int r = 0; r < ranks; ++r) {
    for (int l = 0; l < threads; ++l) f.tasks.push_back({1, r, l});
  }
  return f;
}

TEST_CASE("tasks that share nothing run at the same time on threads, and one after the other on one",
          "[observe]") {
  const flow_outcome apart = simulate(one_each(3, 2), cluster(3, 2));
  CHECK(apart.seconds == Approx(1));
  CHECK(apart.threads_used == 6);
  CHECK(apart.seconds_busiest == Approx(1));
  flow f;
  for (int t = 0; t < 6; ++t) f.tasks.push_back({1, 0, 0});
  const flow_outcome together = simulate(f, cluster(1, 1));
  CHECK(together.seconds == Approx(6));
  CHECK(together.seconds_busiest == Approx(6));
  CHECK(longest_chain(f) == Approx(1));
}

TEST_CASE("a chain takes the sum of its tasks on any number of threads", "[observe]") {
  flow f = one_each(1, 4);
  for (std::uint32_t t = 1; t < 4; ++t) f.edges.push_back({t - 1, t, 0, 100, 0.5});
  CHECK(longest_chain(f) == Approx(4));
  const flow_outcome o = simulate(f, cluster(1, 4));
  CHECK(o.seconds == Approx(4));
  CHECK(o.messages == 0);  // within a rank no message is packed
  f.seconds_hand_over = 0.25;
  CHECK(simulate(f, cluster(1, 4)).seconds == Approx(4.75));
}

TEST_CASE("tasks through one hot group run one after the other while the rest goes on", "[observe]") {
  // Each of four executors has a task of the hot group, then one of its own.
  flow f;
  for (int l = 0; l < 4; ++l) f.tasks.push_back({1, 0, l});
  for (int l = 0; l < 4; ++l) f.tasks.push_back({2, 0, l});
  for (std::uint32_t t = 1; t < 4; ++t) f.edges.push_back({t - 1, t, 0, 0, 0});
  CHECK(longest_chain(f) == Approx(4));
  CHECK(simulate(f, cluster(1, 4)).seconds == Approx(6));
  CHECK(simulate(f, cluster(1, 4)).seconds_busiest == Approx(3));
}

TEST_CASE("a thread runs its tasks in order, though a later one could begin", "[observe]") {
  flow f;
  f.tasks = {{5, 0, 0}, {1, 0, 1}, {1, 0, 1}};
  f.edges.push_back({0, 1, 0, 0, 0});
  CHECK(simulate(f, cluster(1, 2)).seconds == Approx(7));
}

TEST_CASE("a message takes its packing, the latency, its bytes over the bandwidth, and its unpacking",
          "[observe]") {
  flow f;
  f.tasks = {{1, 0, 0}, {1, 1, 0}};
  f.edges.push_back({0, 1, 0, 1000, 0.125});
  simulated_cluster on = cluster(2, 1);
  on.bytes_per_second = 1000;
  on.latency_seconds = 0.5;
  const flow_outcome o = simulate(f, on);
  CHECK(o.seconds == Approx(1 + 0.125 + 0.5 + 1 + 0.125 + 1));
  CHECK(o.bytes_moved == 1000);
  CHECK(o.messages == 1);
}

TEST_CASE("messages of one rank share its link, and so do those that come to one", "[observe]") {
  simulated_cluster on = cluster(3, 1);
  on.bytes_per_second = 1000;
  flow from_one;
  from_one.tasks = {{1, 0, 0}, {1, 1, 0}, {1, 2, 0}};
  from_one.edges = {{0, 1, 0, 2000, 0}, {0, 2, 0, 2000, 0}};
  CHECK(simulate(from_one, on).seconds == Approx(1 + 4 + 1));
  flow to_one;
  to_one.tasks = {{1, 0, 0}, {1, 1, 0}, {1, 2, 0}};
  to_one.edges = {{0, 2, 0, 2000, 0}, {1, 2, 0, 2000, 0}};
  CHECK(simulate(to_one, on).seconds == Approx(1 + 4 + 1));
}

TEST_CASE("the network works while threads do", "[observe]") {
  // Rank 1 computes for 10 s. Meanwhile the elements for its second task arrive.
  simulated_cluster on = cluster(2, 1);
  on.bytes_per_second = 1000;
  flow f;
  f.tasks = {{1, 0, 0}, {10, 1, 0}, {1, 1, 0}};
  f.edges = {{0, 2, 0, 5000, 0}};
  CHECK(simulate(f, on).seconds == Approx(11));
}

TEST_CASE("the processor time of messages delays them, and threads that are busy, but no idle ones",
          "[observe]") {
  simulated_cluster on = cluster(2, 1);
  on.message_seconds = 0.25;
  on.byte_seconds = 0.001;
  flow f;
  f.tasks = {{1, 0, 0}, {1, 1, 0}};
  f.edges = {{0, 1, 0, 1000, 0}};
  CHECK(simulate(f, on).seconds == Approx(1 + 1.25 + 1.25 + 1));
  f.tasks = {{1, 0, 0}, {10, 1, 0}, {1, 1, 0}};
  f.edges = {{0, 2, 0, 1000, 0}};
  CHECK(simulate(f, on).seconds == Approx(10 + 1.25 + 1));
  f.tasks = {{1, 0, 0}, {20, 0, 0}, {1, 1, 0}, {1, 1, 0}};  // rank 0 sends while it computes
  f.edges = {{0, 3, 0, 1000, 0}};
  CHECK(simulate(f, on).seconds == Approx(1 + 20 + 1.25));
  on.threads = 2;  // one of them is idle
  CHECK(simulate(f, on).seconds == Approx(1 + 20));
}

TEST_CASE("what ranks own leaves them before their threads begin", "[observe]") {
  simulated_cluster on = cluster(2, 1);
  on.bytes_per_second = 1000;
  flow f;
  f.tasks = {{1, 0, 0}, {1, 1, 0}};
  f.edges = {{flow_edge::from_start, 1, 0, 3000, 0.5}, {flow_edge::from_start, 0, 0, 3000, 0.5}};
  const flow_outcome o = simulate(f, on);
  CHECK(o.seconds == Approx(0.5 + 3 + 0.5 + 1));  // rank 0 is done after 0.5 + 1
  CHECK(o.messages == 1);
}

TEST_CASE("a flow of 100,000 tasks on a thousand ranks moves every edge", "[observe]") {
  constexpr std::uint32_t n = 100'000;
  flow f;
  for (std::uint32_t t = 0; t < n; ++t)
    f.tasks.push_back({1e-3, static_cast<int>(t % 1024), static_cast<int>(t / 1024 % 16)});
  for (std::uint32_t t = 1024; t < n; ++t) f.edges.push_back({t - 1024 + t % 2, t, 0, 1000, 1e-6});
  simulated_cluster on = cluster(1024, 16);
  on.bytes_per_second = 1e9;
  on.latency_seconds = 1e-6;
  const flow_outcome o = simulate(f, on);
  CHECK(o.seconds > 1e-3 * n / 1024 - 1e-9);
  CHECK(o.messages > n / 3);
}

TEST_CASE("a cluster is read as it is written", "[base]") {
  const simulated_cluster c = parse_simulated_cluster("1024x16,100Gbit,2.5us");
  CHECK(c.ranks == 1024);
  CHECK(c.threads == 16);
  CHECK(c.bytes_per_second == Approx(12.5e9));
  CHECK(c.latency_seconds == Approx(2.5e-6));
  CHECK(c.message_seconds == 0);
  const simulated_cluster slow = parse_simulated_cluster("4x1,1Gbit,80us,20us+1.5ns");
  CHECK(slow.message_seconds == Approx(20e-6));
  CHECK(slow.byte_seconds == Approx(1.5e-9));
  CHECK(parse_simulated_cluster("4x1,1Gbit,80us,20us").byte_seconds == 0);
  CHECK(parse_simulated_cluster("2x1").bytes_per_second == Approx(1.25e9));
  CHECK(parse_simulated_cluster("2x1,3GB").bytes_per_second == Approx(3e9));
  CHECK(parse_simulated_cluster("2x1,inf,0us").bytes_per_second == std::numeric_limits<double>::infinity());
  for (const char* wrong : {"", "4", "x", "4x", "0x1", "4x2,", "4x2,10", "4x2,0Gbit", "4x2,10Gbit,",
                            "4x2,10Gbit,50", "4x2,10Gbit,-1us", "4x2,10Gbit,50us,", "4x2,nanGbit",
                            "4x2,10Gbit,50us,20", "4x2,10Gbit,50us,20us+", "4x2,10Gbit,50us,20us,1ns"})
    CHECK_THROWS_AS(parse_simulated_cluster(wrong), stradsap::error);
}
